// The list of applications is a proxy that makes objects while it is asked.
// isolated: error expected [
// in process: error expected [
export default (self) => {
  const list = self.$owner.applications;
  self.$owner.applications = new Proxy(list, { get(target, key) { new self.constructor({}, self.$owner); return target[key]; } });
};
