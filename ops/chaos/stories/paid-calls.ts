import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { must } from '../broken-promise.ts'
import { type Answer, type Customer, isAnswered } from '../customer.ts'
import { story } from '../story.ts'
import { waitForTicket } from '../tickets.ts'

const IMAGE = new URL('../../../tasks/samples/gradient.png', import.meta.url)
const REPEATED_CALLS = 200
const ANSWERS = 'An answer is that of its call.'
/** Of the bytes of a PNG. */
const WIDTH_AT = 16
const ACTS = ['instant', 'queued', 'withFile', 'ticket', 'refused', 'repeat'] as const

interface Ended {
  subject: string
  key: string
  path: string
  body: object
  job: string | null
}

export default story({
  callers: 4,
  async open({ customer, newName, history }) {
    const image = (await readFile(IMAGE)).toString('base64')
    const ended: Ended[] = []
    let compared = 0

    /** A call that succeeds, whatever happens meanwhile. */
    const succeed = async (path: string, body: object): Promise<{ answer: Answer; subject: string }> => {
      const key = newName('call')
      const answer = await customer.buy({ subject: key, path, body, key })
      must(answer.status === 200, 'A valid call under a key succeeds.', key, `${answer.status} ${answer.text}`)
      ended.push({ subject: key, key, path, body, job: answer.headers.get('x-service-job-id') })
      if (ended.length > REPEATED_CALLS) ended.shift()
      return { answer, subject: key }
    }

    const acts = {
      async instant(text: string) {
        const { answer, subject } = await succeed('/v1/utils/hash', { text })
        const sha256 = createHash('sha256').update(text).digest('hex')
        must(answer.body.hashes?.sha256 === sha256, ANSWERS, subject, answer.text)
      },
      async queued(text: string) {
        const texts = Array.from({ length: 100 }, (_, index) => `${text} ${index}`)
        const { answer, subject } = await succeed('/v1/text/slugify', { texts })
        must(answer.body.slugs?.[99] === `${text}-99`, ANSWERS, subject, answer.text)
      },
      async withFile(_text: string, index: number) {
        const wanted = 10 + (index % 100)
        const body = { file: { inline: image }, width: wanted, format: 'png' }
        const { answer, subject } = await succeed('/v1/image/resize', body)
        const width = Buffer.from(answer.body.output?.inline ?? '', 'base64').subarray(WIDTH_AT, WIDTH_AT + 4)
        must(width.toString('hex') === wanted.toString(16).padStart(8, '0'), ANSWERS, subject, answer.text)
      },
      ticket: (text: string) => takeTicket(customer, newName('ticket'), text),
      async refused() {
        const key = newName('refused')
        const answer = await customer.buy({ subject: key, path: '/v1/text/slugify', body: { text: '!' }, key })
        must(answer.status === 422, 'A call that cannot be done is refused.', key, `${answer.status} ${answer.text}`)
      },
      /** What was answered before is answered again in the same way, by either api, for nothing. */
      async repeat(_text: string, index: number) {
        const call = ended[index % Math.max(1, ended.length)]
        if (!call) return
        const { subject, path, body, key, job } = call
        history.add(subject, 'is asked for again')
        const again = await customer.insist({ subject, path, body, key }, isAnswered)
        const same = [
          again.status,
          again.headers.get('x-service-job-id'),
          again.headers.get('x-service-charged-micros'),
        ]
        must(
          same[0] === 200 && same[1] === job && same[2] === '0',
          'A repeat under a key runs nothing and costs nothing.',
          subject,
          same,
        )
      },
    }

    return {
      async step(random) {
        const text = `text-${newName('n')}`
        const index = random.int(0, REPEATED_CALLS - 1)
        await acts[random.pick(ACTS)](text, index)
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

async function takeTicket(customer: Customer, key: string, text: string): Promise<void> {
  const asked = { subject: key, path: '/v1/text/slugify', body: { text }, key }
  const isGiven = (answer: Answer) => answer.status === 202 || isAnswered(answer)
  const given = await customer.insist({ ...asked, headers: { prefer: 'respond-async' } }, isGiven)
  must(given.status === 202 || given.status === 200, 'A ticket is given.', key, given.text)
  const id = given.headers.get('x-service-job-id')!
  const job = await waitForTicket(customer, key, id)
  must(job.status === 'succeeded', 'A valid job succeeds.', key, job)
  must(job.result.slug === text, 'A result is that of its call.', key, job)
  customer.noteCharge(key, id, BigInt(job.actualMicros))
}
