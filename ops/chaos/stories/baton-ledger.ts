import { must } from '../broken-promise.ts'
import { story } from '../story.ts'

const MAX_LINES = 300

interface Log {
  id: string
  lines: string[]
}

/** Every line whose append was acknowledged is there once, in its place, in a chain that verifies. */
export default story({
  callers: 2,
  async open({ customer, newName }) {
    const logs: (Log | undefined)[] = []
    const open: Log[] = []

    const create = async (): Promise<Log> => {
      const key = newName('ledger')
      const body = { preset: 'ledger', tier: 'micro', content: 'begin\n' }
      const answer = await customer.buy({ subject: key, path: '/v1/baton', body, key })
      must(answer.status === 201, 'A ledger is created.', key, answer.text)
      const log = { id: answer.body.id as string, lines: ['begin\n'] }
      open.push(log)
      return log
    }

    return {
      async step(random, caller) {
        const log = logs[caller] ?? (await create())
        logs[caller] = log
        // Every tenth or so is long enough for the object store.
        const line = `${log.lines.length} ${'.'.repeat(random.isChance(0.1) ? 20_000 : random.int(0, 60))}\n`
        const key = `line-${log.lines.length}`
        const answer = await customer.insist({
          subject: log.id,
          path: `/v1/baton/${log.id}`,
          body: { content: line },
          key,
        })
        must(answer.status === 201, 'A ledger takes a line.', log.id, `${answer.status} ${answer.text}`)
        log.lines.push(line)
        if (log.lines.length >= MAX_LINES) logs[caller] = undefined
      },
      async check() {
        let compared = 0
        for (const { id, lines } of open) {
          // First, because a ledger that lacks bytes cannot be read at all.
          const path = `/v1/baton/${id}/trust/verify-chain`
          const { body: chain } = await customer.insist({ subject: id, path, body: { mode: 'full' } })
          const isWhole = chain.valid === true && chain.entries === lines.length
          must(isWhole, 'The chain of a ledger verifies.', id, chain)
          const { text } = await customer.insist({ subject: id, method: 'GET', path: `/v1/baton/${id}` })
          must(
            text === lines.join(''),
            'Every acknowledged append to a ledger is there once and in order.',
            id,
            describeDifference(text, lines),
          )
          compared += lines.length
        }
        // Those that take no more lines have been checked.
        for (const log of open.filter(log => !logs.includes(log))) open.splice(open.indexOf(log), 1)
        return compared
      },
    }
  },
})

function describeDifference(text: string, lines: readonly string[]): string {
  const found = text.split(/(?<=\n)/)
  const first = lines.findIndex((line, index) => found[index] !== line)
  const at = first === -1 ? lines.length : first
  return `${lines.length} lines were acknowledged, ${found.length} are there; line ${at} is ${JSON.stringify(found[at]?.slice(0, 40) ?? null)}`
}
