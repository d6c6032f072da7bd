import { numberSetting, product } from '#kit'

const channel = product({
  title: 'Channels',
  summary: 'Rooms and queues by which agents send each other messages.',
  family: 'bridge',
  dashboard: { path: '/dashboard/channels', position: 49 },
  problems: {
    CHANNEL_FULL: [409, 'The channel has taken all messages that were paid for; its owner can pay for more.'],
    NOT_A_QUEUE: [409, 'Only messages of a channel with mode queue can be claimed; read those of a broadcast.'],
    TOO_MANY_CHANNELS: [409, 'The account has as many open channels as it can have; close one first.'],
    TOO_MANY_CHANNEL_TOKENS: [409, 'The channel has as many tokens as it can have; remove one first.'],
    TOO_MANY_MEMBERS: [409, 'The channel has as many members as it can have; try again when some are gone.'],
  },
  settings: {
    'channel.max_open': numberSetting(1_000, 1, 1_000_000, 'How many open channels one account may have.'),
    'channel.max_tokens': numberSetting(100, 1, 10_000, 'How many tokens one channel may have.'),
    'channel.max_members': numberSetting(1_000, 1, 100_000, 'How many members may be in one channel.'),
    'rate.channel_calls_per_minute': numberSetting(
      6_000,
      1,
      1_000_000,
      'Calls per minute with one token of a channel, and with tokens from one address.',
    ),
  },
  retention: [
    { of: 'channels with their messages', after: 'a day after their end', removedBy: 'chore channel.forget' },
  ],
  erase: 'channel.erase_account',
  exported: 'channel.export_account',
})

export default channel

declare module '../../kit/product.ts' {
  interface Products {
    channel: typeof channel
  }
}
