// Preloaded into a service (NODE_OPTIONS=--require), because the clock must be replaced before the service's first
// line. CLOCK_SHIFTS, such as `admin=-10000,ingest=600000`, defines by how many milliseconds the clock of each service
// is ahead.
const shifts = new Map((process.env.CLOCK_SHIFTS ?? '').split(',').map((shift) => shift.split('=')));
const service = /services[\\/]([^\\/]+)[\\/]/.exec(process.argv[1] ?? '')?.[1];
const aheadMs = Number(shifts.get(service) ?? 0);

if (aheadMs !== 0) {
  const RealDate = Date;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [RealDate.now() + aheadMs] : args, newTarget),
    get: (target, name) => (name === 'now' ? () => RealDate.now() + aheadMs : Reflect.get(target, name)),
  });
}
