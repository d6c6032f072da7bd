import { Type } from 'typebox'
import { newId } from '#kit'
import type { Settings } from '../../../../sql/setting.ts'
import { buyStorage } from '../../../../sql/storage/content.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describeLeasePrice,
  PURCHASE_HEADERS,
  priceLease,
  requireAtMost,
  requireDuration,
  showLeasePrice,
  tellEnd,
} from '../../lease/index.ts'
import { storeBody } from '../content.ts'
import { StorageCreated } from '../schema.ts'

interface StorageHeaders {
  'X-Max-Body-Bytes': number
  'X-Duration-Seconds': number
  'X-Delete-On-Claim': boolean
}

/** What a storage lease is to be like by its headers. */
function planStorage(settings: Settings, headers: StorageHeaders) {
  const seconds = requireDuration(settings, headers['X-Duration-Seconds'])
  const ceiling = settings.get('lease.storage_bytes')
  const maxBodyBytes = requireAtMost('X-Max-Body-Bytes', headers['X-Max-Body-Bytes'], 1, ceiling)
  return { seconds, maxBodyBytes, deleteOnClaim: headers['X-Delete-On-Claim'] }
}

export default route({
  at: 'POST /api/storage',
  summary: 'Store one file for a time. It can be handed off to whoever has a link.',
  keywords: 'temporary file storage, store a file, upload a file to keep, host a file, save a file',
  description:
    'The body is the file. Paid once, by `X-Max-Body-Bytes` and `X-Duration-Seconds`; reading and replacing it cost nothing more. With `X-Delete-On-Claim` it is deleted as soon as a handoff of it is claimed. It cannot be extended, and deleting it early gives no money back.',
  auth: BILLABLE_AUTH,
  headers: Type.Object({
    'X-Max-Body-Bytes': Type.Integer({
      minimum: 1,
      default: 10_485_760,
      description: 'The largest file that it holds.',
    }),
    'X-Delete-On-Claim': Type.Boolean({ default: false }),
    'X-Filename': Type.Optional(Type.String()),
    ...PURCHASE_HEADERS,
  }),
  body: Type.Unknown({ description: 'Any bytes.' }),
  streamBody: 'bytes',
  reply: { status: 201, schema: StorageCreated, dryRun: DryRun },
  price: describeLeasePrice('storage'),
  errors: [
    'EMPTY_BODY',
    'INVALID_PARAM',
    'UNSUPPORTED_MEDIA_TYPE',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'STORAGE_FULL',
  ],
  examples: [{ title: 'Store an order', input: { order: 'A-17', quantity: 2 } }],
  quote({ headers }, { settings }) {
    const { maxBodyBytes, seconds } = planStorage(settings, headers)
    return priceLease(settings, 'storage', maxBodyBytes, seconds)
  },
  showPrice: (amountMicros, { headers }) =>
    showLeasePrice(amountMicros, {
      max_body_bytes: headers['X-Max-Body-Bytes'],
      duration_seconds: headers['X-Duration-Seconds'],
    }),
  async receive({ caller: { accountId }, request, headers }, context) {
    const stored = await storeBody(context, { request, accountId, maxBytes: headers['X-Max-Body-Bytes'] })
    const { sha256, type, filename } = stored.content
    return { value: stored, digest: JSON.stringify([sha256, type, filename]), release: () => stored.release() }
  },
  settles: true,
  handle: ({ headers, content: stored, job }, { db, settings }) =>
    stored.take(content => buyStorage(db, job!, { id: newId(), ...planStorage(settings, headers), content })),
  describeResult: tellEnd,
  reveal(result, { config }) {
    const created = result as { lease_id: string }
    return { ...created, url: `${config.publicUrl}/api/storage/${created.lease_id}` }
  },
})
