import { Type } from 'typebox'
import { Choice, event, numberSetting, product } from '#kit'

const Uuid = Type.String({ format: 'uuid' })
const BATON_FIELDS = { baton_id: Uuid }
const BATON_EXAMPLE = { baton_id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6071' }
const TOKEN_FIELDS = {
  token_id: Type.String({ format: 'uuid', description: 'Names the token without revealing it.' }),
  use: Choice(['read', 'write']),
}
const TOKEN_EXAMPLE = { token_id: '019ab3c4-5d6e-7f80-9a1b-2c3d4e5f6072', use: 'read' }

const baton = product({
  title: 'Batons',
  summary: 'Prepaid storage shared by tokens.',
  dashboard: { path: '/dashboard/storage', position: 40, title: 'Storage' },
  otherFamilies: { storage: 'Batons by preset.' },
  scopes: {
    'batons:read': 'Read your batons: what they hold, their entries, vectors and tokens.',
    'batons:write': 'Create, write, share and delete batons, which spends from your balance.',
  },
  exported: 'baton.export_account',
  contents: 'baton.list_contents',
  erase: 'baton.erase_account',
  lastingSteps: ['baton.remove-upload'],
  retention: [
    {
      of: 'content of batons',
      after: 'the end of the baton',
      removedBy: 'chore baton.purge',
      countedBy: 'baton.count_due',
    },
  ],
  events: {
    'baton.written': event({
      of: 'object',
      summary: 'Something was appended to a baton, or has replaced its content.',
      payload: { ...BATON_FIELDS, seq: Type.Integer(), writer: Type.String(), sizeBytes: Type.Integer() },
      example: { ...BATON_EXAMPLE, seq: 3, writer: 'owner', sizeBytes: 42 },
    }),
    'token.used': event({
      of: 'object',
      summary: 'A token has read a baton or written to it.',
      payload: { ...BATON_FIELDS, ...TOKEN_FIELDS },
      example: { ...BATON_EXAMPLE, ...TOKEN_EXAMPLE },
    }),
    'token.exhausted': event({
      of: 'object',
      summary: 'A token has made the last of its reads or writes.',
      payload: { ...BATON_FIELDS, ...TOKEN_FIELDS },
      example: { ...BATON_EXAMPLE, ...TOKEN_EXAMPLE },
    }),
    'pass.all_tokens_consumed': event({
      of: 'object',
      summary: 'Every token that could read a baton has made its last read.',
      payload: BATON_FIELDS,
      example: BATON_EXAMPLE,
    }),
  },
  problems: {
    TOO_MANY_TOKENS: [409, 'The baton has as many tokens as it can have, revoked ones included.'],
    BATON_NOT_ACTIVE: [409, 'The baton is not active.'],
    BATON_EMPTY: [409, 'The baton holds nothing yet; write to it or upload its file first.'],
    BATON_FROZEN: [409, 'The baton is frozen.'],
  },
  settings: {
    'baton.rate.base_micros': numberSetting(1_000, 0, 1_000_000, 'What a baton costs besides its quotas, in micros.'),
    'baton.rate.storage_micros': numberSetting(
      3_000,
      1,
      1_000_000_000,
      'What a GiB in a baton costs for a day, in micros.',
    ),
    'baton.rate.egress_micros': numberSetting(100_000, 1, 1_000_000_000, 'What reading a GiB costs, in micros.'),
    'baton.rate.writes_micros': numberSetting(1_000, 1, 1_000_000_000, 'What 1,000 writes to a baton cost, in micros.'),
    'baton.rate.reads_micros': numberSetting(100, 1, 1_000_000_000, 'What 1,000 reads of a baton cost, in micros.'),
  },
})

export default baton

declare module '../../kit/product.ts' {
  interface Products {
    baton: typeof baton
  }
}
