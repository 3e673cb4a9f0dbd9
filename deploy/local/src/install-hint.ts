/** The command that installs RabbitMQ on the given platform. */
export function installHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'brew install rabbitmq';
  return 'sudo apt-get install -y rabbitmq-server';
}
