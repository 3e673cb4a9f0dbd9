import { execFileSync } from 'node:child_process';
import type { RabbitNetwork } from '@receipts/testing';
import { CannotRun } from './scenario';

/** Addresses that are unlikely to be in use on this machine. */
const clusterPrefix = '10.231.7';
const clientPrefix = '10.231';
const bridge = 'rcpts-cluster';

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
const tryIp = (...args: string[]) => {
  try {
    ip(...args);
  } catch {
    // What is to be removed may not exist.
  }
};

/** Networks in which nodes see each other over one link and their clients over another, which can be cut separately. */
export class ClusterNetwork {
  readonly networks: readonly RabbitNetwork[];

  private constructor(count: number) {
    this.networks = Array.from({ length: count }, (_, n) => ({
      namespace: `rcpts-node-${n}`,
      clientAddress: `${clientPrefix}.${n + 10}.2`,
      clusterAddress: `${clusterPrefix}.${n + 1}`,
    }));
  }

  /** @throws CannotRun if this process may not create networks */
  static create(count: number): ClusterNetwork {
    const network = new ClusterNetwork(count);
    network.remove();
    try {
      network.open();
      return network;
    } catch (error) {
      network.remove();
      throw new CannotRun(`networks cannot be created: ${(error as Error).message.split('\n')[0]}`);
    }
  }

  /** Cuts a node off from the other nodes (true), but not from its clients, or connects it again. */
  cutOff(node: number, on: boolean): void {
    ip('link', 'set', `rcpts-c${node}`, on ? 'down' : 'up');
  }

  remove(): void {
    this.networks.forEach(({ namespace }, n) => {
      tryIp('link', 'del', `rcpts-c${n}`);
      tryIp('link', 'del', `rcpts-u${n}`);
      tryIp('netns', 'del', namespace);
    });
    tryIp('link', 'del', bridge);
  }

  private open(): void {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('link', 'set', bridge, 'up');
    this.networks.forEach(({ namespace, clientAddress, clusterAddress }, n) => {
      const inside = (...args: string[]) => ip('-n', namespace, ...args);
      ip('netns', 'add', namespace);
      inside('link', 'set', 'lo', 'up');
      ip('link', 'add', `rcpts-c${n}`, 'type', 'veth', 'peer', 'name', 'cluster', 'netns', namespace);
      ip('link', 'set', `rcpts-c${n}`, 'master', bridge);
      ip('link', 'set', `rcpts-c${n}`, 'up');
      inside('addr', 'add', `${clusterAddress}/24`, 'dev', 'cluster');
      inside('link', 'set', 'cluster', 'up');
      ip('link', 'add', `rcpts-u${n}`, 'type', 'veth', 'peer', 'name', 'clients', 'netns', namespace);
      ip('addr', 'add', `${clientPrefix}.${n + 10}.1/24`, 'dev', `rcpts-u${n}`);
      ip('link', 'set', `rcpts-u${n}`, 'up');
      inside('addr', 'add', `${clientAddress}/24`, 'dev', 'clients');
      inside('link', 'set', 'clients', 'up');
    });
  }
}
