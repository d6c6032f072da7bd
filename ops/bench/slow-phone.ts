import { type BrowserContext, type CDPSession, chromium } from 'playwright-core'
import { findBinary } from '../../pools/tools/chromium/browser.ts'
import type { Bench } from './figure.ts'
import { median } from './median.ts'

/** A phone of the middle class far from its mast. */
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true }
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 }
const SLOWER_CPU = 4

interface Visit {
  seconds: number
  kilobytes: number
}

type Visits = Visit & { visits: readonly Visit[] }

/**
 * First visits of a page on a slow phone and on a fast one, in turn. `isUsable` is an expression that is true when the page can
 * be used. The values are medians.
 */
export async function visitOnPhones(
  { profile }: Bench,
  address: string,
  isUsable: string,
): Promise<{ slow: Visits; fast: Visits }> {
  const browser = await chromium.launch({ executablePath: findBinary(), args: ['--no-sandbox', '--disable-gpu'] })
  try {
    const visit = async (isSlow: boolean) => {
      // The policy of the page would refuse the check of whether it is usable.
      const context = await browser.newContext({ ...PHONE, bypassCSP: true })
      try {
        return await openPage(context, { address, isUsable, isSlow })
      } finally {
        await context.close()
      }
    }
    await visit(false)
    const [slow, fast]: [Visit[], Visit[]] = [[], []]
    for (let round = 0; round < profile.rounds * 3; round++) {
      slow.push(await visit(true))
      fast.push(await visit(false))
    }
    return { slow: summarize(slow), fast: summarize(fast) }
  } finally {
    await browser.close()
  }
}

function summarize(visits: readonly Visit[]): Visits {
  const seconds = median(visits.map(visit => visit.seconds))
  return { seconds, kilobytes: median(visits.map(visit => visit.kilobytes)), visits }
}

/** From the click on a link to the page that can be used. */
async function openPage(
  context: BrowserContext,
  { address, isUsable, isSlow }: { address: string; isUsable: string; isSlow: boolean },
): Promise<Visit> {
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const counted = await countBytes(session)
  if (isSlow) {
    await session.send('Network.emulateNetworkConditions', SLOW_4G)
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_CPU })
  }
  const startedAt = performance.now()
  await page.goto(address, { waitUntil: 'commit' })
  await page.waitForFunction(isUsable, undefined, { polling: 'raf' })
  const seconds = (performance.now() - startedAt) / 1_000
  await page.waitForLoadState('load')
  return { seconds, kilobytes: counted.bytes / 1_000 }
}

async function countBytes(session: CDPSession): Promise<{ bytes: number }> {
  const counted = { bytes: 0 }
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    counted.bytes += encodedDataLength
  })
  await session.send('Network.enable')
  return counted
}
