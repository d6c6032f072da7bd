import { must } from '../broken-promise.ts'
import { isAnswered } from '../customer.ts'
import { story } from '../story.ts'

const MAX_TOKENS = 100
/** 100 tokens of output at 5 dollars a million and a short question at 1 dollar, with the markup of 20 percent; rounded up. */
const CEILING_MICROS = 2_000n

/** A call of a model is charged at most its ceiling, whatever its provider says it took, and nothing if it fails. */
export default story({
  callers: 3,
  async open({ customer, newName }) {
    let compared = 0
    return {
      async step(random) {
        const isStream = random.isChance(0.4)
        const subject = newName('chat')
        const messages = [{ role: 'user', content: `When is low tide, ${subject}?` }]
        const body = { model: 'value', messages, max_tokens: MAX_TOKENS, stream: isStream }
        const asked = { subject, path: '/v1/chat/completions', body, key: subject }
        const answer = await customer.buy(asked, given => isAnswered(given) || isProvidersFault(given.body))
        const job = answer.headers.get('x-service-job-id')
        if (answer.status !== 200) return
        must(job !== null, 'A call that is answered names its job.', subject, answer.text)
        const found = await customer.insist(
          { subject, method: 'GET', path: `/v1/jobs/${job}?wait=5` },
          ({ status, body: ticket }) => status === 200 && ticket.finishedAt !== undefined,
        )
        const charged = BigInt(found.body.actualMicros ?? 0)
        must(charged <= CEILING_MICROS, 'A call is charged at most its ceiling.', subject, found.text)
        const isFree = found.body.status === 'succeeded' || charged === 0n
        must(isFree, 'A call that fails is free.', subject, found.text)
        customer.noteCharge(subject, job!, charged)
        compared += 1
      },
      async check() {
        const since = compared
        compared = 0
        return since
      },
    }
  },
})

function isProvidersFault(body: { code?: string; error?: { code?: string } } | undefined): boolean {
  const code = body?.error?.code ?? body?.code
  return typeof code === 'string' && /^PROVIDER_/i.test(code)
}
