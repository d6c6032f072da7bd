import type { Figure, Reading } from '../../figure.ts'
import { openStack } from '../../stack.ts'
import { createRandom } from '../location/made-up-roads.ts'
import {
  type Comparison,
  JARO_WINKLER,
  makePairs,
  measureAt,
  measureBest,
  OURS,
  type Quality,
  TRIGRAMS,
} from './quality.ts'
import { loadPairs, searchPairs } from './whole-search.ts'

const PAIRS = 5_000
/** The people of the pairs among others, in which a whole search looks. */
const ENTITIES = 50_000
/** That of a call that names none. */
const THRESHOLD = 0.85
const SEED = 4_242

export default {
  id: 'P75',
  title:
    'screening/match: 5,000 made variants of names (transliterations of other tables, orders, typing errors, initials, parts) and of other people who share a name, beside trigrams and Jaro-Winkler alone',
  async measure(bench) {
    const pairs = makePairs(PAIRS, createRandom(SEED))
    const score = (compare: Comparison) => pairs.map(({ query, listed }) => compare(query, listed))
    const ours = measureAt(pairs, score(OURS), THRESHOLD)
    const trigrams = measureBest(pairs, score(TRIGRAMS))
    const jaroWinkler = measureBest(pairs, score(JARO_WINKLER))
    const facts = { pairs: PAIRS, ours, trigrams, jaroWinkler }
    const describe = (name: string, { threshold, precision, recall }: Quality) =>
      `${name} at ${threshold}: ${precision.toFixed(3)} and ${recall.toFixed(3)}`
    const limitedBy = `precision and recall of ${describe('trigrams', trigrams)}; ${describe('Jaro-Winkler', jaroWinkler)}`
    const read = (what: 'precision' | 'recall'): Reading => ({
      label: `${what} at the threshold ${THRESHOLD}; floor: trigrams at their best`,
      ...{
        unit: '',
        ours: ours[what],
        floor: trigrams[what],
        goal: { atLeast: 0.95 },
        judgedBy: 'ours',
        limitedBy,
        facts,
      },
    })
    await using stack = await openStack(bench.environment, { workers: 0 })
    const entities = Math.max(PAIRS, Math.round(ENTITIES * bench.profile.bulk))
    await loadPairs(stack, pairs, { entities, random: createRandom(SEED + 1) })
    const whole = measureAt(pairs, await searchPairs(stack, pairs, THRESHOLD), 1)
    const readWhole = (what: 'precision' | 'recall'): Reading => ({
      ...read(what),
      label: `${what} of whole searches among ${entities} entries; floor: trigrams at their best`,
      ...{ ours: whole[what], facts: { pairs: PAIRS, entities, whole } },
    })
    return [read('recall'), read('precision'), readWhole('recall'), readWhole('precision')]
  },
} satisfies Figure
