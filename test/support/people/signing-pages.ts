import type { Browser } from 'playwright-core'
import { freePorts } from '../../../ops/free-ports.ts'
import { LETTER, openEnvelopeApi, openSender, SIGNATURE, tokenOf } from '../../products/esigndoc/parts.ts'
import { closePages, openBrowser } from '../browser/open.ts'

export const FIELDS = [
  { ...SIGNATURE, id: 'sign' },
  { id: 'city', type: 'text', label: 'City', page: 1, x: 10, y: 70 },
  { id: 'pet', type: 'checkbox', label: 'I have a pet', required: false, page: 1, x: 60, y: 70 },
  { id: 'kind', type: 'text', label: 'Which', page: 1, x: 70, y: 70, showIf: { field: 'pet', equals: true } },
  { id: 'day', type: 'date', label: 'Day', page: 1, x: 10, y: 75, required: false },
]

/** The pages of signers in a browser, and an account that sends them envelopes. */
export async function openSigningPages() {
  const [port] = (await freePorts(1)) as [number]
  const url = `http://127.0.0.1:${port}`
  const opening = openEnvelopeApi({ PUBLIC_URL: url, PORT: String(port) })
  const [home, browser]: [Awaited<typeof opening>, Browser] = await Promise.all([opening, openBrowser()])
  await home.api.app.listen({ host: '127.0.0.1', port })
  const owner = await openSender(home, 9_000_000n)
  let isOver = false
  /** A worker as long as the tests run: the pages wait for images that it draws. */
  const workOn = async () => {
    while (!isOver) {
      await home.work()
      await new Promise(resolve => setTimeout(resolve, 100))
    }
  }
  const worker = workOn()
  const make = async (more: object = {}) => {
    const recipients = [{ name: 'Ida Weiß' }]
    const made = await owner.send({ file: await LETTER(), title: 'Lease', recipients, fields: FIELDS, ...more })
    return { ...made, link: `${url}/sign/${tokenOf(made, 'Ida Weiß')}` }
  }
  const close = async () => {
    isOver = true
    await worker
    await closePages(browser)
    await home[Symbol.asyncDispose]()
  }
  return { home, browser, owner, url, make, [Symbol.asyncDispose]: close }
}
