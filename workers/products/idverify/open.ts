import { createHmac } from 'node:crypto'
import type { IdentityProvider } from '../../../ops/providers/identity/contract.ts'
import { deriveKey } from '../../../ops/secrets.ts'
import type { IdentityReader } from '../../../tasks/products/idverify/index.ts'
import type { WorkerProduct } from '../../context.ts'

/** Images are read by the engines that read documents for callers. */
const identities: WorkerProduct = {
  bindDeps(context): { reader: IdentityReader; openProvider(): Promise<IdentityProvider | undefined> } {
    const { config } = context
    const key = deriveKey(config.secret, 'identity-document')
    let provider: Promise<IdentityProvider | undefined> | undefined
    return {
      // Loaded with the first verification by it; kept, so that it is not asked while it fails.
      openProvider() {
        provider ??= import('../../../ops/providers/identity/open.ts').then(({ openIdentityProvider }) =>
          openIdentityProvider(config.identity),
        )
        return provider
      },
      reader: {
        async read(images, signal) {
          const { readImages } = await import('./reading.ts')
          return readImages(context, images, signal)
        },
        async print(html, signal) {
          const { printReport } = await import('./reading.ts')
          return printReport(context, html, signal)
        },
        hash: text => `\\x${createHmac('sha256', key).update(text).digest('hex')}`,
      },
    }
  },
}

export default identities
