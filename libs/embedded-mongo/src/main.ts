import { usage, parseArguments } from './arguments';
import { startEmbeddedMongo } from './server';

async function main(): Promise<void> {
  let options;
  try {
    options = parseArguments(process.argv.slice(2), process.env);
  } catch (error) {
    process.stderr.write(`embedded-mongo: ${(error as Error).message}\n${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const server = await startEmbeddedMongo(options);
  const stop = (): void => {
    server.close().then(
      () => process.exit(0),
      (e: unknown) => {
        process.stderr.write(`embedded-mongo: ${String(e)}\n`);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // The parent process is gone, so nothing else would stop this process.
  process.once('disconnect', stop);
  process.stdout.write(`listening on ${server.port}\n`);
  process.send?.({ type: 'ready', port: server.port });
}

main().catch((e: unknown) => {
  process.stderr.write(`embedded-mongo: ${(e as Error).message}\n`);
  process.exitCode = 1;
});
