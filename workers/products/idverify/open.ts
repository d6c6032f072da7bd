import { createHmac } from 'node:crypto'
import { deriveKey } from '../../../ops/secrets.ts'
import type { IdentityReader } from '../../../tasks/products/idverify/index.ts'
import type { WorkerProduct } from '../../context.ts'

/** Images are read by the engines that read documents for callers. */
const identities: WorkerProduct = {
  bindDeps(context): { reader: IdentityReader } {
    const { config } = context
    const key = deriveKey(config.secret, 'identity-document')
    return {
      reader: {
        async read(images, signal) {
          const { readImages } = await import('./reading.ts')
          return readImages(context, images, signal)
        },
        hash: text => `\\x${createHmac('sha256', key).update(text).digest('hex')}`,
      },
    }
  },
}

export default identities
