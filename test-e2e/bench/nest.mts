import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Body, Controller, Get, HttpCode, Inject, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClientProxy,
  ClientsModule,
  MessagePattern,
  Payload,
  Transport,
  type RmqOptions,
} from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';
import { pageOfReceipts, receiptBody } from './work.js';

/**
 * The same tasks in a plain NestJS application, implemented as in its documentation: Express, a RabbitMQ client for
 * RPC, and a microservice that stores nothing and has prepared the responses to reads. Run as `nest.mjs gateway <amqp
 * url>` and `nest.mjs service <amqp url>`.
 */
const [, , role, url = ''] = process.argv;

const transport: RmqOptions = {
  transport: Transport.RMQ,
  options: { urls: [url], queue: 'nest.requests', queueOptions: { durable: true }, prefetchCount: 256 },
};
const intake: RmqOptions = {
  transport: Transport.RMQ,
  options: {
    urls: [url],
    queue: 'nest.packets',
    persistent: true,
    queueOptions: { durable: true, arguments: { 'x-queue-type': 'quorum' } },
  },
};

const receipt = JSON.parse(receiptBody) as unknown;
const page = JSON.parse(pageOfReceipts) as unknown;

interface Posted {
  readonly items?: unknown[];
  readonly total?: unknown;
}

@Controller()
class Receipts {
  constructor(
    @Inject('RPC') private readonly rpc: ClientProxy,
    @Inject('INTAKE') private readonly intake: ClientProxy,
  ) {}

  @Post('receipts')
  @HttpCode(201)
  create(@Body() receipt: Posted) {
    return firstValueFrom(this.rpc.send<{ id: string }>('create', receipt));
  }

  @Get('receipts')
  list() {
    return firstValueFrom(this.rpc.send<unknown>('list', {}));
  }

  @Get('receipts/:id')
  read() {
    return firstValueFrom(this.rpc.send<unknown>('get', {}));
  }

  @Post('pos/receipts')
  async accept(@Req() req: IncomingMessage & { body: unknown }, @Res() res: ServerResponse) {
    const id = randomBytes(12).toString('hex');
    await firstValueFrom(this.intake.emit('packet', req.body), { defaultValue: undefined });
    res.writeHead(202, { location: `/receipts/${id}`, 'content-length': 0 }).end();
  }
}

@Controller()
class Owner {
  @MessagePattern('create')
  create(@Payload() receipt: Posted) {
    if (!Array.isArray(receipt.items) || typeof receipt.total !== 'number') throw new Error('not a receipt');
    return { id: randomBytes(12).toString('hex') };
  }

  @MessagePattern('list')
  list() {
    return page;
  }

  @MessagePattern('get')
  read() {
    return receipt;
  }
}

@Module({
  imports: [
    ClientsModule.register([
      { name: 'RPC', ...transport },
      { name: 'INTAKE', ...intake },
    ]),
  ],
  controllers: [Receipts],
})
class GatewayModule {}

@Module({ controllers: [Owner] })
class ServiceModule {}

if (role === 'gateway') {
  const app = await NestFactory.create(GatewayModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  process.send?.({ type: 'ready', port: Number(new URL(await app.getUrl()).port) });
} else {
  const app = await NestFactory.createMicroservice<RmqOptions>(ServiceModule, {
    ...transport,
    logger: false,
  });
  await app.listen();
  process.send?.({ type: 'ready' });
}
