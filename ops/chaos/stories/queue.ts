import { setTimeout as sleep } from 'node:timers/promises'
import { must } from '../broken-promise.ts'
import type { Customer } from '../customer.ts'
import { type StoryContext, story } from '../story.ts'

interface Claimed {
  data: { body: number; receipt: string }[]
}

const MAX_MESSAGES = 10_000
/** A round is far from sending so many. */
const RENEW_AT = 5_000
const VISIBILITY_SECONDS = 6
const PAUSE_MS = 200

/** Nothing whose sending was acknowledged is lost, and nothing comes again after its end was acknowledged. */
export default story({
  callers: 3,
  async open(context) {
    let queue = await openQueue(context)
    return {
      async step(_random, caller) {
        if (caller === 0) await queue.send()
        else if ((await queue.consume()) === 0) await sleep(PAUSE_MS)
      },
      async check() {
        const count = await queue.checkDelivered()
        if (count >= RENEW_AT) queue = await openQueue(context)
        return count
      },
    }
  },
})

async function openQueue({ customer, newName }: Pick<StoryContext, 'customer' | 'newName'>): Promise<Queue> {
  const key = newName('channel')
  const body = { mode: 'queue', maxMessages: MAX_MESSAGES, tokens: [] }
  const opened = await customer.buy({ subject: key, path: '/v1/bridge/channels', body, key })
  must(opened.status === 201, 'A channel is opened.', key, opened.text)
  return new Queue(customer, `/v1/bridge/channels/${opened.body.id}`)
}

class Queue {
  readonly #customer: Customer
  readonly #path: string
  /** Messages are numbers from 0. */
  #sent = 0
  readonly #received = new Set<number>()
  /** By number, when its end was acknowledged. */
  readonly #endedAtMs = new Map<number, number>()

  constructor(customer: Customer, path: string) {
    this.#customer = customer
    this.#path = path
  }

  #ask(verb: string, body: object) {
    return this.#customer.insist({ subject: this.#path, path: `${this.#path}/${verb}`, body })
  }

  async send(): Promise<void> {
    const message = { body: this.#sent, dedupeKey: `number-${this.#sent}` }
    const { status, body, text } = await this.#ask('messages', message)
    must(status === 201, 'A channel that is not full takes a message.', this.#path, text)
    const isNext = body.seq === this.#sent + 1
    must(isNext, 'The numbers of messages have no gap, and none is given twice.', this.#path, body)
    this.#sent += 1
  }

  /** Gives how many messages came. */
  async consume(): Promise<number> {
    const askedAtMs = Date.now()
    const { body } = await this.#ask('claim', { visibilitySeconds: VISIBILITY_SECONDS, max: 10 })
    const { data } = body as Claimed
    for (const { body: number } of data) {
      // An answer can be late: what it hands out may have been claimed and ended since.
      const isNew = (this.#endedAtMs.get(number) ?? askedAtMs) >= askedAtMs
      must(isNew, 'A message whose end was acknowledged does not come again.', this.#path, { number })
      this.#received.add(number)
    }
    if (data.length > 0) await this.#end(data)
    return data.length
  }

  /** What is stale may have been ended by an earlier try whose answer was lost, or may come again. */
  async #end(data: Claimed['data']): Promise<void> {
    const { status, body, text } = await this.#ask('ack', { receipts: data.map(({ receipt }) => receipt) })
    must(status === 200, 'Claims can be ended.', this.#path, text)
    const stale = new Set(body.stale as string[])
    for (const { body: number, receipt } of data) if (!stale.has(receipt)) this.#endedAtMs.set(number, Date.now())
  }

  async checkDelivered(): Promise<number> {
    const giveUpAtMs = Date.now() + 10 * VISIBILITY_SECONDS * 1_000
    while (this.#received.size < this.#sent && Date.now() < giveUpAtMs)
      if ((await this.consume()) === 0) await sleep(PAUSE_MS)
    const numbers = Array.from({ length: this.#sent }, (_, number) => number)
    const lost = numbers.filter(number => !this.#received.has(number))
    must(lost.length === 0, 'Every message whose sending was acknowledged is handed out.', this.#path, { lost })
    return this.#sent
  }
}
