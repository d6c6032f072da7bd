import { readFile } from 'node:fs/promises'
import { type BrowserContext, type CDPSession, chromium } from 'playwright-core'
import { findBinary } from '../../../../pools/tools/chromium/browser.ts'
import { pollUntil } from '../../../back-off.ts'
import type { Bench, Figure, Reading } from '../../figure.ts'
import { median } from '../../median.ts'
import { openStack, type Stack } from '../../stack.ts'

/** A phone of the middle class far from its mast. */
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true }
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const SLOWER_CPU = 4

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
    const link = await sendEnvelope(stack)
    const browser = await chromium.launch({ executablePath: findBinary(), args: ['--no-sandbox', '--disable-gpu'] })
    try {
      const visit = async (isSlow: boolean) => {
        // The policy of the page would refuse the check of whether it is usable.
        const context = await browser.newContext({ ...PHONE, bypassCSP: true })
        try {
          return await openPage(context, link, isSlow)
        } finally {
          await context.close()
        }
      }
      await visit(false)
      return await compare(bench, visit)
    } finally {
      await browser.close()
    }
  },
} satisfies Figure

interface Visit {
  seconds: number
  kilobytes: number
}

async function compare({ profile }: Bench, visit: (isSlow: boolean) => Promise<Visit>): Promise<Reading[]> {
  const [slow, fast]: [Visit[], Visit[]] = [[], []]
  for (let round = 0; round < profile.rounds * 3; round++) {
    slow.push(await visit(true))
    fast.push(await visit(false))
  }
  const seconds = (all: readonly Visit[]) => median(all.map(one => one.seconds))
  const weight = median(slow.map(({ kilobytes }) => kilobytes))
  const usable = { label: 'usable', unit: 's', ours: seconds(slow), floor: seconds(fast), goal: { atMost: 1.5 } }
  const heavy = { label: 'weight', unit: 'kB', ours: weight, floor: weight, goal: { atMost: 300 } }
  return [
    { ...usable, judgedBy: 'ours', limitedBy: 'three round trips of 150 ms, and the image of the first page' },
    { ...heavy, judgedBy: 'ours', limitedBy: 'the image of the first page', facts: { slow } },
  ]
}

/** From the click on a link to the page that can be used. */
async function openPage(context: BrowserContext, link: string, isSlow: boolean): Promise<Visit> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const counted = await countBytes(session)
  if (isSlow) {
    await session.send('Network.emulateNetworkConditions', SLOW_4G)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU })
  }
  const startedAt = performance.now()
  await page.goto(link, { waitUntil: 'commit' })
  await page.waitForFunction(IS_USABLE, undefined, { polling: 'raf' })
  const seconds = (performance.now() - startedAt) / 1_000
  await page.waitForLoadState('load')
  return { seconds, kilobytes: counted.bytes / 1_000 }
}

/** The script has shown how many fields are filled in, and the first page is drawn. */
const IS_USABLE = `document.querySelector('[data-progress]')?.textContent && document.querySelector('.leaf img')?.complete
  && document.querySelector('.leaf img').naturalWidth > 0`

async function countBytes(session: CDPSession): Promise<{ bytes: number }> {
  const counted = { bytes: 0 }
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength
  })
  await session.send('Network.enable')
  return counted
}

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
