import type { Notifiers } from '../../../ops/providers/notify/contract.ts'
import { createOutboundPost } from '../../../pools/fetch/post.ts'
import { createTrust } from '../../../tasks/formats/web-address/destination.ts'
import type { WorkerContext, WorkerProduct } from '../../context.ts'

/** One for each configuration, because they keep connections, and what they know of the providers' health. */
const opened = new WeakMap<WorkerContext['config'], Promise<Notifiers>>()

/** They are loaded with the first question, so that a worker that sends none does not pay for them. */
function openOnce(config: WorkerContext['config']): Promise<Notifiers> {
  const notifiers = opened.get(config) ?? open(config)
  opened.set(config, notifiers)
  return notifiers
}

async function open({ notify, webhookNetworks }: WorkerContext['config']): Promise<Notifiers> {
  const { openNotifiers } = await import('../../../ops/providers/notify/open.ts')
  return openNotifiers(notify, createOutboundPost({ isTrusted: createTrust(webhookNetworks) }))
}

/** Those who are asked are written to by steps. */
const asks: WorkerProduct = {
  bindDeps: ({ config }) => ({ openNotifiers: () => openOnce(config) }),
}

export default asks
