/** The one command that brings RabbitMQ to a machine of this platform. */
export function installHint(platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'brew install rabbitmq';
  return 'sudo apt-get install -y rabbitmq-server';
}
