import { Type } from 'typebox'
import { newId } from '#kit'
import { createStorage } from '../../../../sql/storage/content.ts'
import { route } from '../../../route.ts'
import {
  DryRun,
  describePurchase,
  LEASE_TERMS,
  OWNER_AUTH,
  OWNER_ERRORS,
  PURCHASE_ERRORS,
  PURCHASE_HEADERS,
  priceLease,
  readPurchase,
  replyPrice,
  requireAtMost,
  requireDuration,
} from '../../lease/index.ts'
import { requireFunds, withStoredBody } from '../content.ts'
import { StorageCreated } from '../schema.ts'

export default route({
  at: 'POST /api/storage',
  summary: 'Store one file for a time. It can be handed off to whoever has a link.',
  keywords: 'temporary file storage, store a file, upload a file to keep, host a file',
  description:
    'The body is the file. Paid once, by `X-Max-Body-Bytes` and `X-Duration-Seconds`; reading and replacing it cost nothing more. With `X-Delete-On-Claim` it is deleted as soon as a handoff of it is claimed. It cannot be extended, and deleting it early gives no money back.',
  auth: OWNER_AUTH,
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
  terms: LEASE_TERMS,
  errors: [
    'EMPTY_BODY',
    'INVALID_PARAM',
    'BODY_TOO_LARGE',
    'BODY_INCOMPLETE',
    'STORAGE_FULL',
    ...PURCHASE_ERRORS,
    ...OWNER_ERRORS,
  ],
  examples: [{ title: 'Store an order', input: { order: 'A-17', quantity: 2 } }],
  async handle({ caller, headers, request, reply }, context) {
    const { config, db, settings } = context
    const seconds = requireDuration(settings, headers['X-Duration-Seconds'])
    const ceiling = settings.get('lease.storage_bytes')
    const maxBodyBytes = requireAtMost('X-Max-Body-Bytes', headers['X-Max-Body-Bytes'], 1, ceiling)
    const price = priceLease(settings, 'storage', maxBodyBytes, seconds)
    if (headers['X-Dry-Run'])
      return replyPrice(reply, price, { max_body_bytes: maxBodyBytes, duration_seconds: seconds })
    await requireFunds(context, caller, request, price)
    const deleteOnClaim = headers['X-Delete-On-Claim']
    const { accountId } = caller
    return withStoredBody(context, { request, accountId, maxBytes: maxBodyBytes }, async content => {
      const terms = JSON.stringify([
        seconds,
        maxBodyBytes,
        deleteOnClaim,
        content.sha256,
        content.type,
        content.filename,
      ])
      const call = describePurchase({ caller, request }, 'leases.create-storage', price, [terms])
      const lease = { id: newId(), seconds, maxBodyBytes, deleteOnClaim, content }
      const purchase = await createStorage(db, call, lease)
      const created = readPurchase(reply, call, purchase)
      reply.header('x-lease-expires-at', created.expires_at)
      return { ...created, url: `${config.publicUrl}/api/storage/${created.lease_id}` }
    })
  },
})
