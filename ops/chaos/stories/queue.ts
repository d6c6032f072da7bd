import { must } from '../broken-promise.ts'
import { story } from '../story.ts'

interface Claimed {
  data: { body: number; receipt: string }[]
}

const MAX_MESSAGES = 10_000
const VISIBILITY_SECONDS = 6
const PAUSE_MS = 200

/** Nothing whose sending was acknowledged is lost, and nothing comes again after its end was acknowledged. */
export default story({
  callers: 3,
  async open({ customer, newName }) {
    const key = newName('channel')
    const body = { mode: 'queue', maxMessages: MAX_MESSAGES, tokens: [] }
    const opened = await customer.buy({ subject: key, path: '/v1/bridge/channels', body, key })
    must(opened.status === 201, 'A channel is opened.', key, opened.text)
    const path = `/v1/bridge/channels/${opened.body.id}`
    const subject = path
    const sent = { count: 0, lastSeq: 0 }
    const received = new Set<number>()
    const ended = new Set<number>()

    const send = async () => {
      if (sent.count === MAX_MESSAGES) return
      const message = { body: sent.count, dedupeKey: `number-${sent.count}` }
      const { status, body, text } = await customer.insist({ subject, path: `${path}/messages`, body: message })
      must(status === 201, 'A channel that is not full takes a message.', subject, text)
      const isNext = body.seq === sent.lastSeq + 1
      must(isNext, 'The numbers of the messages of a channel have no gap and none is given twice.', subject, body)
      sent.count += 1
      sent.lastSeq = body.seq
    }

    const consume = async (): Promise<number> => {
      const claim = { visibilitySeconds: VISIBILITY_SECONDS, max: 10 }
      const { body: claimed } = await customer.insist({ subject, path: `${path}/claim`, body: claim })
      const { data } = claimed as Claimed
      for (const { body: number } of data) {
        must(!ended.has(number), 'A message whose end was acknowledged does not come again.', subject, { number })
        received.add(number)
      }
      if (data.length > 0) await end(data)
      return data.length
    }

    const end = async (data: Claimed['data']) => {
      const receipts = data.map(({ receipt }) => receipt)
      const { status, body, text } = await customer.insist({ subject, path: `${path}/ack`, body: { receipts } })
      must(status === 200, 'Claims can be ended.', subject, text)
      const stale = new Set(body.stale as string[])
      for (const { body: number, receipt } of data) if (!stale.has(receipt)) ended.add(number)
    }

    return {
      async step(_random, caller) {
        if (caller === 0) await send()
        else if ((await consume()) === 0) await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      },
      async check() {
        const giveUpAtMs = Date.now() + 10 * VISIBILITY_SECONDS * 1_000
        while (received.size < sent.count && Date.now() < giveUpAtMs)
          if ((await consume()) === 0) await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
        const lost = Array.from({ length: sent.count }, (_, number) => number).filter(number => !received.has(number))
        must(lost.length === 0, 'Every message whose sending was acknowledged is handed out.', subject, { lost })
        return sent.count
      },
    }
  },
})
