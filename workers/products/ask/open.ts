import type { Notifiers } from '../../../ops/providers/notify/contract.ts'
import { openNotifiers } from '../../../ops/providers/notify/open.ts'
import { createOutboundPost } from '../../../pools/fetch/post.ts'
import { createTrust } from '../../../tasks/formats/web-address/destination.ts'
import type { WorkerContext, WorkerProduct } from '../../context.ts'

/** One for each configuration, because they keep connections, and what they know of the providers' health. */
const opened = new WeakMap<WorkerContext['config'], Notifiers>()

function openOnce(config: WorkerContext['config']): Notifiers {
  const post = createOutboundPost({ isTrusted: createTrust(config.webhookNetworks) })
  const notifiers = opened.get(config) ?? openNotifiers(config.notify, post)
  opened.set(config, notifiers)
  return notifiers
}

/** Those who are asked are written to by steps. */
const asks: WorkerProduct = {
  bindDeps: ({ config }) => ({ notifiers: openOnce(config) }),
}

export default asks
