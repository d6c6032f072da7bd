import { createOutboundPost } from '../../../pools/fetch/post.ts'
import { createTrust } from '../../../tasks/formats/web-address/destination.ts'
import type { WorkerProduct } from '../../context.ts'
import { WebhookDispatcher } from './dispatcher.ts'

/** Sends the deliveries that are due, where calls to other servers are made. */
const webhooks: WorkerProduct = {
  start(context) {
    const { lanes, webhookNetworks } = context.config
    const dispatcher = new WebhookDispatcher(context, createOutboundPost({ isTrusted: createTrust(webhookNetworks) }))
    if (lanes.includes('remote')) dispatcher.start()
    return { listens: { webhook_due: () => dispatcher.wake() }, stop: () => dispatcher.stop() }
  },
}

export default webhooks
