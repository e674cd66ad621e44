// import() of a name that is made while it runs.
// isolated: time
// in process: time
export default () => import("data:text/javascript," + "for(;;);");
