function g() { throw new Error("x") }

  g()