import { must } from '../broken-promise.ts'
import { type StoryContext, story } from '../story.ts'

const MAX_MESSAGES = 500
const LISTED = 100

interface Item {
  id: string
  size_bytes: number
}

/** A message whose dropping was acknowledged is there once and whole, until it is deleted. */
export default story({
  callers: 2,
  async open(context) {
    let box = await openMailbox(context)
    return {
      async step(random) {
        await box.drop('x'.repeat(random.isChance(0.1) ? 20_000 : random.int(1, 80)))
        if (random.isChance(0.2)) await box.deleteOne()
      },
      async check() {
        const compared = await box.check()
        if (box.isFull) box = await openMailbox(context)
        return compared
      },
    }
  },
})

async function openMailbox(context: StoryContext): Promise<Mailbox> {
  const { customer, newName } = context
  const key = newName('mailbox')
  const headers = { 'x-capacity-bytes': '4000000', 'x-max-messages': '2000', 'x-drop-rate': '10000' }
  const answer = await customer.buy({ subject: key, path: '/api/mailbox', key, headers })
  must(answer.status === 201, 'A mailbox is opened.', key, answer.text)
  const dropPath = new URL(answer.body.drop_url as string).pathname
  return new Mailbox(context, answer.body.lease_id as string, dropPath)
}

class Mailbox {
  readonly #context: StoryContext
  readonly #id: string
  readonly #dropPath: string
  /** The messages that must be there, with their sizes. */
  readonly #sizes = new Map<string, number>()
  #dropped = 0

  constructor(context: StoryContext, id: string, dropPath: string) {
    this.#context = context
    this.#id = id
    this.#dropPath = dropPath
  }

  get isFull(): boolean {
    return this.#dropped >= MAX_MESSAGES
  }

  async drop(text: string): Promise<void> {
    if (this.isFull) return
    this.#dropped += 1
    const { customer, newName } = this.#context
    const body = { text }
    const asked = { subject: this.#id, path: this.#dropPath, body, key: newName('message') }
    const answer = await customer.insist(asked)
    must(answer.status === 201, 'A mailbox with room takes a message.', this.#id, `${answer.status} ${answer.text}`)
    const id = answer.body.message_id as string
    must(!this.#sizes.has(id), 'Two messages have two ids.', this.#id, id)
    this.#sizes.set(id, Buffer.byteLength(JSON.stringify(body)))
  }

  async deleteOne(): Promise<void> {
    const [id] = this.#sizes.keys()
    if (id === undefined) return
    this.#sizes.delete(id)
    const { status, text } = await this.#context.customer.insist({
      ...{ subject: this.#id, method: 'DELETE' },
      path: `/api/mailbox/${this.#id}/messages/${id}`,
    })
    // An earlier try may have deleted it although its answer was lost.
    must([204, 404].includes(status), 'A message can be deleted.', this.#id, `${status} ${text}`)
  }

  async check(): Promise<number> {
    const found = new Map<string, number>()
    for (let after: string | null = ''; after !== null; ) {
      const path = `/api/mailbox/${this.#id}/messages?limit=${LISTED}${after === '' ? '' : `&after=${after}`}`
      const { body } = await this.#context.customer.insist({ subject: this.#id, method: 'GET', path })
      for (const { id, size_bytes: bytes } of body.items as Item[]) {
        must(!found.has(id), 'A mailbox lists a message once.', this.#id, id)
        found.set(id, bytes)
      }
      after = body.next as string | null
    }
    const lost = [...this.#sizes].filter(([id, bytes]) => found.get(id) !== bytes)
    const extra = [...found.keys()].filter(id => !this.#sizes.has(id))
    const isSame = lost.length === 0 && extra.length === 0
    must(isSame, 'A mailbox has each message once whose dropping was acknowledged.', this.#id, { lost, extra })
    return found.size
  }
}
