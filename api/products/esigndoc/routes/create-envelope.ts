import { listDrawnSources } from '#kit'
import { createEnvelope, type EnvelopeView } from '../../../../sql/esigndoc/envelopes.ts'
import { BILLABLE_AUTH } from '../../../intake/billable.ts'
import { drawSources } from '../../../intake/files/read-files.ts'
import { route } from '../../../route.ts'
import { EnvelopeBody, type EnvelopeRequest } from '../envelope-body.ts'
import { findOwner, planEnvelope, planLedger, planOnce, priceOf } from '../planning.ts'
import { ENVELOPE_PRICE } from '../price.ts'
import { DOCUMENT_ERRORS, Envelope, SEND_ERRORS } from '../schema.ts'
import { describeEnvelope } from '../showing.ts'

function isSent({ sendImmediately, fields, autoPlaceSignature }: EnvelopeRequest): boolean {
  return sendImmediately ?? (fields.length > 0 || autoPlaceSignature !== false)
}

export default route({
  at: 'POST /v1/esigndoc/envelopes',
  summary: 'Have a document signed: send it at once, or keep it as a free draft.',
  keywords:
    'e-sign, electronic signature, sign a pdf, docusign, send a contract for signature, signature request, have a document signed, nda, approve a document, two people sign one after the other, signing order',
  description:
    'Give a PDF or an Office document (`file`, or the part `pdf` of a form with the rest in `payload`) and who signs, each on a page of their own. Then it is sealed (PAdES) with a certificate page: wait for `envelope.completed`. Cancelled unopened, all is paid back; expired unopened, half.',
  auth: BILLABLE_AUTH,
  body: EnvelopeBody,
  reply: { status: 201, schema: Envelope },
  price: ENVELOPE_PRICE,
  settles: true,
  limitSeconds: 60,
  errors: [...DOCUMENT_ERRORS, ...SEND_ERRORS, 'NOT_FOUND'],
  examples: [
    {
      title: 'One signer, where the document says "Signature:"',
      input: {
        file: 'sample:letter.pdf',
        ...{ title: 'Letter', autoPlaceSignature: true, recipients: [{ name: 'Ida', email: 'ida@example.com' }] },
      },
    },
  ],
  async quote({ caller, body, request }, context) {
    if (!isSent(body)) return 0n
    const ownerId = findOwner(context, caller, request.ip)
    return priceOf(await planOnce(body, () => planEnvelope(context, ownerId, body)))
  },
  async handle({ caller, body, job }, context) {
    const { db, settings } = context
    await drawSources(context, job!.id, listDrawnSources(EnvelopeBody, body))
    const { envelope } = await planOnce(body, () => planEnvelope(context, caller.accountId, body))
    const sending = isSent(body) ? { baton: await planLedger(context, caller, envelope.row.title) } : undefined
    return createEnvelope(db, job!, envelope, sending, settings.get('esigndoc.max_open'))
  },
  reveal: (result, context) => describeEnvelope(context, result as EnvelopeView),
})
