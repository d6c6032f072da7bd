import { type BookFault, readLastBookCheck } from '../../sql/installation/books.ts'
import { checkBooks } from '../book-check/run.ts'
import { openStore } from '../providers/storage/open.ts'
import { formatFacts, formatTable } from './print.ts'
import { type Runs, UsageError } from './verb.ts'

const SHOWN_FAULTS = 100

export const runs: Runs = {
  async verify({ db, config }, _args, { last }) {
    if (last === 'true') {
      const check = await readLastBookCheck(db)
      if (!check) throw new UsageError('The books were never checked here; run ledger verify.')
      const { counts, faultCount, faults, endedAt } = check
      return {
        data: check,
        text: formatCheck({ at: endedAt, ...counts }, faultCount, faults),
        isFailure: faultCount > 0,
      }
    }
    const { counts, faults } = await checkBooks({ db, store: openStore(config) })
    const text = formatCheck(counts, faults.length, faults)
    return { data: { counts, faultCount: faults.length, faults }, text, isFailure: faults.length > 0 }
  },
}

function formatCheck(counts: object, faultCount: number, faults: readonly BookFault[]): string {
  if (faultCount === 0) return `${formatFacts(counts)}\nnothing is wrong`
  const lines = faults.slice(0, SHOWN_FAULTS).map(({ rule, subject, detail }) => [rule, subject, detail])
  const table = formatTable(['rule', 'of', 'found'], lines)
  return `${formatFacts(counts)}\n${faultCount} ${faultCount === 1 ? 'thing is' : 'things are'} wrong:\n${table}`
}
