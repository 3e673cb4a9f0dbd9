import { runOperator } from './run';

void runOperator(process.argv.slice(2), process.env).then(({ code, out, err }) => {
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
});
