import { Type } from 'typebox'
import { listBatonEvents } from '#kit'
import { PRESET_NAMES } from '../../../../tasks/products/baton/presets.ts'
import {
  MAX_COUNT,
  MAX_DURATION_SECONDS,
  MAX_EGRESS_BYTES,
  MAX_SIZE_BYTES,
  TIERS,
} from '../../../../tasks/products/baton/tiers.ts'
import { route } from '../../../route.ts'
import { version } from '../../../surfaces/state.ts'
import { MAX_WRITE_BYTES } from '../content.ts'
import { MAX_TOKENS } from './mint-token.ts'

const Bytes = Type.String({ pattern: '^\\d+$' })

export default route({
  at: 'GET /v1/baton/system/info',
  summary: 'Describe the storage of this service: its presets, tiers, limits and events.',
  keywords: 'storage limits, baton capabilities, largest baton',
  auth: ['none'],
  reply: {
    status: 200,
    schema: Type.Object({
      service: Type.String(),
      version: Type.String(),
      presets: Type.Array(Type.String()),
      tiers: Type.Array(Type.String()),
      limits: Type.Object({
        sizeBytes: Bytes,
        egressBytes: Bytes,
        durationSeconds: Bytes,
        reads: Bytes,
        writes: Bytes,
        writeBytes: Type.Integer({ description: 'Of one write; larger files are uploaded by a form.' }),
        tokens: Type.Integer({ description: 'Of one baton, revoked ones included.' }),
      }),
      eventTriggers: Type.Array(Type.String()),
      jwksUrl: Type.String({ description: 'The public keys of witnesses.' }),
      pricesUrl: Type.String(),
    }),
  },
  errors: [],

  handle(_, { config, signing }) {
    return {
      ...{ service: 'coinop', version, presets: PRESET_NAMES, tiers: TIERS },
      limits: {
        ...{ sizeBytes: String(MAX_SIZE_BYTES), egressBytes: String(MAX_EGRESS_BYTES) },
        ...{ durationSeconds: String(MAX_DURATION_SECONDS), reads: String(MAX_COUNT), writes: String(MAX_COUNT) },
        ...{ writeBytes: MAX_WRITE_BYTES, tokens: MAX_TOKENS },
      },
      eventTriggers: listBatonEvents(),
      jwksUrl: signing.keySetUrl,
      pricesUrl: `${config.publicUrl}/v1/baton/prices`,
    }
  },
})
