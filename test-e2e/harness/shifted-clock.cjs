// Preloaded into a service (NODE_OPTIONS=--require), because the clock must be replaced before the service's first
// line. CLOCK_SHIFT is the number of milliseconds by which it is ahead.
const aheadMs = Number(process.env.CLOCK_SHIFT);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now() + aheadMs] : args, newTarget),
  get: (target, name) => (name === 'now' ? () => RealDate.now() + aheadMs : Reflect.get(target, name)),
});
