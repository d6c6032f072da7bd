import type { ListedEntity } from '../../../../tasks/products/screening/index.ts'
import { JSON_HEADERS } from '../../calls.ts'
import type { Stack } from '../../stack.ts'
import { loadMade } from './load-made.ts'
import { makePerson, type Random, toEntity } from './made-names.ts'
import type { LabelledPair } from './quality.ts'

const SUBJECTS = 100
/** A name that many share has more like it than a call shows by itself. */
const LIMIT = 100

/** Loads the people of the pairs among others, as many as `entities` together. */
export async function loadPairs(
  stack: Stack,
  pairs: readonly LabelledPair[],
  { entities, random }: { entities: number; random: Random },
): Promise<void> {
  function* list(): Generator<ListedEntity> {
    yield* pairs.map(({ person }, index) => toEntity(person, index))
    for (let index = pairs.length; index < entities; index++) yield toEntity(makePerson(random), index)
  }
  await loadMade(stack, list())
}

/** Whether a search of all entries for the name of a pair finds the person of the pair, with the threshold of the call: 1 or 0. */
export async function searchPairs(stack: Stack, pairs: readonly LabelledPair[], threshold: number): Promise<number[]> {
  const scores: number[] = []
  for (let at = 0; at < pairs.length; at += SUBJECTS) {
    const turn = pairs.slice(at, at + SUBJECTS)
    const subjects = Object.fromEntries(turn.map(({ query }, index) => [`s${index}`, { name: query }]))
    const found = await ask(stack, { subjects, threshold, limit: LIMIT, explain: false })
    turn.forEach((_, index) => {
      scores.push(found[`s${index}`]!.includes(`made-${at + index}`) ? 1 : 0)
    })
  }
  return scores
}

async function ask({ baseUrl, keys }: Stack, body: object): Promise<Record<string, string[]>> {
  const response = await fetch(`${baseUrl}/v1/screening/match`, {
    method: 'POST',
    headers: { ...JSON_HEADERS, authorization: `Bearer ${keys[0]}` },
    body: JSON.stringify({ lists: ['sanctions'], sources: ['un_sc'], ...body }),
  })
  if (!response.ok) throw new Error(`a search answered ${response.status}: ${await response.text()}`)
  const { results } = (await response.json()) as { results: Record<string, { matches: { sourceId: string }[] }> }
  return Object.fromEntries(
    Object.entries(results).map(([key, { matches }]) => [key, matches.map(({ sourceId }) => sourceId)]),
  )
}
