import { deriveLink } from '../../../ops/products/esigndoc/links.ts'
import { witnessEnded } from '../../../ops/products/witness/index.ts'
import type { EnvelopeDeps } from '../../../tasks/products/esigndoc/worker-deps.ts'
import type { WorkerProduct } from '../../context.ts'
import { openDocuments } from './documents.ts'

/** Steps look at documents, draw their pages, seal them, and write to those who sign. */
const signing: WorkerProduct = {
  bindDeps(context): EnvelopeDeps {
    const { config } = context
    return {
      documents: openDocuments(context),
      async convert(file, signal) {
        const { convertOffice } = await import('./operations.ts')
        return convertOffice(context, file, signal)
      },
      async measureImage(file, signal) {
        const { measureImage } = await import('./operations.ts')
        return measureImage(context, file, signal)
      },
      writeLink: (recipientId, nonce) => `${config.publicUrl}/sign/${deriveLink(config.secret, recipientId, nonce)}`,
      async sendText(to, { key, text }, signal) {
        const { sms } = config.notify
        if (!sms) return 'No text messages can be sent here any more.'
        const { openTwilio } = await import('../../../ops/providers/notify/twilio.ts')
        const notice = { key, title: '', text, url: config.publicUrl, expiresAt: '', isQuiet: false, body: {} }
        return openTwilio(sms).send(to, notice, signal)
      },
      witnessLedger: batonId => witnessEnded(context, batonId),
      hasTimestamps: config.timestampUrl !== undefined,
    }
  },
}

export default signing
