import { parseTraceparent } from '../../../ops/tracing/context.ts'
import { currentTraceparent, noteInSpan, traceFrom } from '../../../ops/tracing/trace.ts'
import type { OutboundPost } from '../../../pools/fetch/post.ts'
import { pause } from '../../../sql/connection.ts'
import { openDeliveryEnds, type TakenDelivery, takeDeliveries } from '../../../sql/webhook/index.ts'
import type { WorkerContext } from '../../context.ts'
import { type AttemptResult, attemptDelivery } from './attempt.ts'
import { buildMessage } from './message.ts'

/** Deliveries whose notification was missed are found after this time. */
const POLL_MS = 1_000
const MIN_SLEEP_MS = 20
const RETRY_MS = 1_000
/** A worker that has not ended an attempt this long after its time limit is considered lost. */
const LEASE_MARGIN_SECONDS = 15
const STOP_TIMEOUT_MS = 3_000
/** The share of the slots that endpoints may have which have not shown that they answer. */
const TRIAL_SHARE = 0.75

/**
 * Sends the deliveries of webhooks. It takes as many as it has free slots; which endpoints they are for is decided in SQL, so
 * that one that hangs delays no other.
 */
export class WebhookDispatcher {
  readonly #context: WorkerContext
  readonly #post: OutboundPost
  readonly #ends: ReturnType<typeof openDeliveryEnds>
  readonly #sending = new Map<string, { isTrial: boolean }>()
  #wake: () => void = () => undefined
  #isAwake = false
  #isStopped = false
  #loop: Promise<void> = Promise.resolve()

  constructor(context: WorkerContext, post: OutboundPost) {
    this.#context = context
    this.#post = post
    this.#ends = openDeliveryEnds(context.db.url)
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** There may be something to send. */
  wake(): void {
    this.#isAwake = true
    this.#wake()
  }

  /** Takes nothing more and gives what is being sent a moment to end. The rest is sent by another worker. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.wake()
    await this.#loop
    const giveUpAt = performance.now() + STOP_TIMEOUT_MS
    while (this.#sending.size > 0 && performance.now() < giveUpAt) await pause(MIN_SLEEP_MS)
    await this.#ends.close()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      this.#isAwake = false
      const nextInMs = await this.#takeSome()
      if (nextInMs !== undefined) await this.#sleep(nextInMs)
    }
  }

  /** Returns how long to wait, or undefined if there may be more at once. */
  async #takeSome(): Promise<number | undefined> {
    const { settings, db, workerId, log } = this.#context
    const size = settings.get('webhook.concurrency')
    const trials = [...this.#sending.values()].filter(({ isTrial }) => isTrial).length
    const slots = size - this.#sending.size
    if (slots <= 0) return POLL_MS
    try {
      const { deliveries, nextInMs } = await takeDeliveries(db, {
        workerId,
        slots,
        trialSlots: Math.max(0, Math.ceil(size * TRIAL_SHARE) - trials),
        maxPerEndpoint: settings.get('webhook.endpoint_concurrency'),
        leaseSeconds: settings.get('webhook.timeout_seconds') + LEASE_MARGIN_SECONDS,
      })
      for (const delivery of deliveries) void this.#deliver(delivery)
      return deliveries.length > 0 ? undefined : Math.min(POLL_MS, Math.max(MIN_SLEEP_MS, nextInMs ?? POLL_MS))
    } catch (error) {
      log.warn({ err: error }, 'webhook deliveries not taken')
      return RETRY_MS
    }
  }

  async #sleep(ms: number): Promise<void> {
    if (this.#isAwake) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#wake = resolve
    await promise
    clearTimeout(timer)
  }

  async #deliver(delivery: TakenDelivery): Promise<void> {
    const { id, attempt, isTrial } = delivery
    const { workerId, log } = this.#context
    this.#sending.set(`${id} ${attempt}`, { isTrial })
    try {
      await traceFrom(parseTraceparent(delivery.traceparent), describeDelivery(delivery), async () =>
        this.#ends.record(workerId, { id, attempt, ...(await this.#attempt(delivery)) }),
      )
    } catch (error) {
      // It becomes due again when its lease ends.
      log.error({ deliveryId: id, err: error }, 'the end of a webhook delivery is not recorded')
    } finally {
      this.#sending.delete(`${id} ${attempt}`)
      this.wake()
    }
  }

  async #attempt(delivery: TakenDelivery): Promise<AttemptResult> {
    const { settings, log } = this.#context
    try {
      const message = await buildMessage(this.#context, delivery)
      const timeoutMs = settings.get('webhook.timeout_seconds') * 1_000
      const headers = { ...message.headers, ...currentTraceparent() }
      const end = await attemptDelivery(this.#post, delivery.url, { ...message, headers }, timeoutMs)
      noteInSpan({ 'http.response.status_code': end.code }, end.ok ? undefined : 'not delivered')
      return end
    } catch (error) {
      log.error({ deliveryId: delivery.id, err: error }, 'a webhook message could not be built')
      return { ok: false, error: 'The message could not be built.', ms: 0 }
    }
  }
}

/** The address of an endpoint may hold a secret of its owner, so it is not told. */
function describeDelivery({ id, event, attempt }: TakenDelivery) {
  const attributes = {
    'http.request.method': 'POST',
    'coinop.delivery_id': id,
    'coinop.event': event,
    'coinop.attempt': attempt,
  }
  return { name: `webhook ${event}`, kind: 'client', attributes } as const
}
