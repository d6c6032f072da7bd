import { must } from '../broken-promise.ts'
import type { Random } from '../random.ts'
import { type StoryContext, story } from '../story.ts'

const OWN = 4
const SHARED = 2
const MAX_BATCHES = 60
/** A search by the very text of a vector finds it with this score. */
const LEAST_SCORE = 0.999

interface Written {
  id: string
  batches: number
}

/** Every vector whose writing was acknowledged is there once, with what was written last. */
export default story({
  callers: 2,
  async open(context) {
    const batons: (Written | undefined)[] = []
    const open: Written[] = []
    return {
      async step(random, caller) {
        const baton = batons[caller] ?? (await createBaton(context))
        if (!open.includes(baton)) open.push(baton)
        batons[caller] = baton
        if (baton.batches > 0 && random.isChance(0.3)) await search(context, baton, random)
        else await write(context, baton)
        if (baton.batches >= MAX_BATCHES) batons[caller] = undefined
      },
      async check() {
        let compared = 0
        for (const baton of open) compared += await checkCount(context, baton)
        for (const baton of open.filter(one => !batons.includes(one))) open.splice(open.indexOf(baton), 1)
        return compared
      },
    }
  },
})

async function createBaton({ customer, newName }: StoryContext): Promise<Written> {
  const key = newName('vectors')
  const body = { preset: 'vector', tier: 'micro', vector: {} }
  const answer = await customer.buy({ subject: key, path: '/v1/baton', body, key })
  must(answer.status === 201, 'A vector baton is created.', key, answer.text)
  return { id: answer.body.id as string, batches: 0 }
}

async function write({ customer, newName }: StoryContext, baton: Written): Promise<void> {
  const number = baton.batches
  const own = Array.from({ length: OWN }, (_, at) => ({ id: `b${number}-${at}`, text: textOf(number, at) }))
  const shared = Array.from({ length: SHARED }, (_, at) => ({ id: `shared-${at}`, text: `shared${number}x${at}` }))
  const path = `/v1/baton/${baton.id}/vectors`
  const body = { vectors: [...own, ...shared] }
  const answer = await customer.buy({ subject: baton.id, path, body, key: newName('batch') })
  must(answer.status === 200, 'A vector baton takes vectors.', baton.id, `${answer.status} ${answer.text}`)
  baton.batches += 1
}

function textOf(batch: number, at: number): string {
  return `only${batch}x${at} common`
}

async function search({ customer, newName }: StoryContext, { id, batches }: Written, random: Random): Promise<void> {
  const [batch, at] = [random.int(0, batches - 1), random.int(0, OWN - 1)]
  const shared = random.int(0, SHARED - 1)
  const [vector, text] = random.isChance(0.5)
    ? [`b${batch}-${at}`, textOf(batch, at)]
    : [`shared-${shared}`, `shared${batches - 1}x${shared}`]
  const path = `/v1/baton/${id}/vectors/query`
  const answer = await customer.buy({ subject: id, path, body: { text, topK: 1 }, key: newName('query') })
  must(answer.status === 200, 'A vector baton is searched.', id, `${answer.status} ${answer.text}`)
  const [found] = answer.body.matches as { id: string; score: number }[]
  const isFound = found?.id === vector && found.score >= LEAST_SCORE
  must(isFound, 'A search finds the vector that was written last.', id, { wanted: vector, found })
}

async function checkCount({ customer }: StoryContext, { id, batches }: Written): Promise<number> {
  if (batches === 0) return 0
  const expected = batches * OWN + SHARED
  const { body } = await customer.insist({ subject: id, method: 'GET', path: `/v1/baton/${id}/vectors/stats` })
  must(body.count === expected, 'Every acknowledged vector counts once.', id, { ...body, expected })
  return expected
}
