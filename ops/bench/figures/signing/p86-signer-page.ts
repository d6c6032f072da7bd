import { readFile } from 'node:fs/promises'
import { pollUntil } from '../../../back-off.ts'
import type { Figure } from '../../figure.ts'
import { visitOnPhones } from '../../slow-phone.ts'
import { openStack, type Stack } from '../../stack.ts'

const FIELDS = [
  { type: 'signature', page: 1, x: 10, y: 80 },
  { type: 'text', label: 'City', page: 1, x: 10, y: 70 },
  { type: 'date', label: 'Day', page: 1, x: 60, y: 70 },
]

/** Usable: the form answers, and the first page of the document is seen. The floor is the same page without a slow phone. */
export default {
  id: 'P86',
  title: 'page of a signer on a slow phone, first visit: until it is usable, and its weight',
  async measure(bench) {
    await using stack = await openStack(bench.environment, { accounts: 1 })
    const { slow, fast } = await visitOnPhones(bench, await sendEnvelope(stack), IS_USABLE)
    const usable = { label: 'usable', unit: 's', ours: slow.seconds, floor: fast.seconds, goal: { atMost: 1.5 } }
    const heavy = { label: 'weight', unit: 'kB', ours: slow.kilobytes, floor: slow.kilobytes, goal: { atMost: 300 } }
    return [
      { ...usable, judgedBy: 'ours', limitedBy: 'three round trips of 150 ms, and the image of the first page' },
      { ...heavy, judgedBy: 'ours', limitedBy: 'the image of the first page', facts: { slow: slow.visits } },
    ]
  },
} satisfies Figure

/** The script has shown how many fields are filled in, and the first page is drawn. */
const IS_USABLE = `document.querySelector('[data-progress]')?.textContent && document.querySelector('.leaf img')?.complete
  && document.querySelector('.leaf img').naturalWidth > 0`

async function sendEnvelope({ baseUrl, keys }: Stack): Promise<string> {
  const body = {
    file: { inline: (await readFile('tasks/samples/letter.pdf')).toString('base64') },
    ...{ title: 'Lease of the flat', recipients: [{ name: 'Ida Brandt' }], fields: FIELDS },
  }
  const headers = { authorization: `Bearer ${keys[0]}`, 'content-type': 'application/json' }
  const ask = async () => {
    const answer = await fetch(`${baseUrl}/v1/esigndoc/envelopes`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return answer.status === 503 ? undefined : answer
  }
  const answer = await pollUntil(ask, { withinMs: 30_000, everyMs: 200 })
  const made = (await answer?.json()) as { recipients?: { signingUrl: string }[] } | undefined
  if (!made?.recipients) throw new Error(`no envelope was made: ${JSON.stringify(made)}`)
  return baseUrl + new URL(made.recipients[0]!.signingUrl).pathname
}
