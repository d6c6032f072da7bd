import { must } from '../broken-promise.ts'
import type { Answer } from '../customer.ts'
import type { Random } from '../random.ts'
import { type StoryContext, story } from '../story.ts'

const MAX_CLAIMS = 15

/** A file is handed off whole, as often as it may be claimed and never more often, and is kept until then. */
export default story({
  callers: 2,
  async open(context) {
    const open: HandOff[] = []
    let current: Promise<HandOff> | undefined

    const next = async (random: Random) => {
      const made = await openHandOff(context, random)
      open.push(made)
      return made
    }

    return {
      async step(random) {
        current ??= next(random)
        const claimed = current
        const handOff = await claimed
        await handOff.claim()
        if (handOff.isRefused && current === claimed) current = undefined
      },
      async check() {
        let compared = 0
        for (const handOff of open) compared += await handOff.check()
        for (const handOff of open.filter(({ isRefused }) => isRefused)) open.splice(open.indexOf(handOff), 1)
        return compared
      },
    }
  },
})

async function openHandOff(context: StoryContext, random: Random): Promise<HandOff> {
  const { customer, newName } = context
  const key = newName('handoff')
  const body = { text: `${key} ${'x'.repeat(random.isChance(0.2) ? 50_000 : random.int(1, 80))}` }
  const isDeleted = random.isChance(0.5)
  const headers = { 'x-max-body-bytes': '100000', 'x-delete-on-claim': String(isDeleted) }
  const stored = await customer.buy({ subject: key, path: '/api/storage', key, headers, body })
  must(stored.status === 201, 'A file is stored.', key, stored.text)
  const lease = stored.body.lease_id as string
  const maxClaims = isDeleted ? 1 : random.int(1, MAX_CLAIMS)
  const path = `/api/handoff/${lease}`
  const made = await customer.insist({ subject: lease, path, body: { max_claims: maxClaims } })
  must(made.status === 201, 'A stored file is handed off.', lease, made.text)
  return new HandOff(context, { lease, maxClaims, isDeleted, file: JSON.stringify(body), made })
}

interface Terms {
  lease: string
  maxClaims: number
  /** Whether the file is deleted when it is claimed. */
  isDeleted: boolean
  file: string
  made: Answer
}

class HandOff {
  isRefused = false
  readonly #context: StoryContext
  readonly #terms: Terms
  readonly #receipts = new Set<string>()
  /** Claims that may have been counted, those included whose answers were lost or are on their way. */
  #possible = 0

  constructor(context: StoryContext, terms: Terms) {
    this.#context = context
    this.#terms = terms
  }

  /** Not repeated: whoever gets no answer does not know whether the claim counted. */
  async claim(): Promise<void> {
    const { lease, made } = this.#terms
    this.#possible += 1
    const path = new URL(made.body.claim_url as string).pathname
    const answer = await this.#context.customer.send({ subject: lease, path, body: {} })
    if (!answer || answer.status >= 500) return
    if (answer.status === 200) return this.#take(answer)
    this.#possible -= 1
    if (answer.status === 429) return
    this.isRefused = true
    const isOver = answer.body?.code === 'ALREADY_CLAIMED' && this.#possible >= this.#terms.maxClaims
    must(isOver, 'A hand-off is refused only after it was claimed.', lease, `${answer.status} ${answer.text}`)
  }

  #take({ headers, text }: Answer): void {
    const { lease, maxClaims, file } = this.#terms
    must(text === file, 'A file is handed off whole.', lease, `${text.length} of ${file.length} characters`)
    const receipt = headers.get('x-claim-receipt')!
    must(!this.#receipts.has(receipt), 'Two claims have two receipts.', lease, receipt)
    this.#receipts.add(receipt)
    must(this.#receipts.size <= maxClaims, 'A hand-off is not claimed more often than it may be.', lease, maxClaims)
  }

  async check(): Promise<number> {
    const { lease, maxClaims, isDeleted, file, made } = this.#terms
    const { customer } = this.#context
    const path = `/api/handoff/${made.body.handoff_id as string}`
    const { body } = await customer.insist({ subject: lease, method: 'GET', path })
    const claims = body.claims as number
    const isCounted = claims >= this.#receipts.size && claims <= Math.min(maxClaims, this.#possible)
    must(isCounted, 'The claims of a hand-off are counted.', lease, `${claims}, ${this.#receipts.size} were answered`)
    if (isDeleted && claims > 0) return claims
    const kept = await customer.insist({ subject: lease, method: 'GET', path: `/api/storage/${lease}` })
    must(kept.status === 200 && kept.text === file, 'A file is kept until it is claimed.', lease, kept.status)
    return claims + 1
  }
}
