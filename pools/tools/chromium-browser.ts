import { existsSync } from 'node:fs'
import type { DaemonKind } from '../daemons.ts'
import { isRoot } from '../sandbox.ts'
import { type Params, Pipe, type PipeEvent } from './chromium-pipe.ts'

/** One page in a context of its own: no cookie, cache or process is shared with the page before. */
export interface Tab {
  contextId: string
  frameId: string
  /** A world of our own in the page, once it was asked for. */
  world?: Promise<{ executionContextId: number }>
  send<Result = unknown>(method: string, params?: Params): Promise<Result>
  listen(listener?: (event: PipeEvent) => void): void
}

export interface Browser {
  pipe: Pipe
  /** Made ready while nobody waits. */
  spare: Promise<Tab> | undefined
  used: Tab | undefined
  /** Draws one plain page after the other. */
  kept: Tab | undefined
  sweep?: NodeJS.Timeout
}

/** The small one prints in a third of the time; the whole browser will do. Debian's scripts around them are not needed. */
const BINARIES = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium']

export function binary(): string {
  return BINARIES.find(path => existsSync(path)) ?? BINARIES[0]!
}

export const CHROMIUM: DaemonKind<Browser> = {
  name: 'chromium',
  command({ home, level, failedStarts }) {
    // Where the kernel does not let it shut itself in, ours still stands around it.
    const isBare = (level === 0 && isRoot) || (level === 2 && failedStarts > 0)
    return {
      program: binary(),
      args: [...FLAGS, ...(isBare ? ['--no-sandbox'] : []), `--user-data-dir=${home}/profile`],
    }
  },
  async open(daemon) {
    const pipe = new Pipe(daemon.input, daemon.output)
    await pipe.send('Browser.getVersion')
    return { pipe, spare: openTab(pipe), used: undefined, kept: undefined }
  },
  async tidy(browser) {
    const { pipe, used, kept } = browser
    browser.used = undefined
    used?.listen()
    if (used && used === kept) browser.sweep = setTimeout(clear, SWEEP_MS, used).unref()
    else if (used) await pipe.send('Target.disposeBrowserContext', { browserContextId: used.contextId })
    browser.spare ??= openTab(pipe)
    await browser.spare
  },
  callsALife: 100,
  memoryMb: 2048,
  recycleMb: 768,
}

/** There is no network in the sandbox; where there is no sandbox, these lead every request that we do not answer nowhere. */
const NOWHERE = [
  '--proxy-server=127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
]

/** All frames of a page in one process, so that one listener answers for all of them; other pages have their own. */
const ONE_PROCESS = [
  '--disable-site-isolation-trials',
  '--disable-features=site-per-process,IsolateOrigins,BackForwardCache,Translate',
]

const FLAGS = [
  '--headless',
  '--remote-debugging-pipe',
  '--no-startup-window',
  '--no-first-run',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-lcd-text',
  '--mute-audio',
  '--hide-scrollbars',
  '--force-color-profile=srgb',
  '--font-render-hinting=none',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--js-flags=--max-old-space-size=1024',
  ...ONE_PROCESS,
  ...NOWHERE,
]

/** The tab of this call. */
export async function takeTab(browser: Browser): Promise<Tab> {
  const spare = browser.spare ?? openTab(browser.pipe)
  browser.spare = undefined
  const tab = await spare
  browser.used = tab
  return tab
}

/** The tab for a plain page: the same as for the last one. No script runs there, ever. */
export async function keptTab(browser: Browser): Promise<Tab> {
  if (!browser.kept) {
    browser.kept = await takeTab(browser)
    await browser.kept.send('Emulation.setScriptExecutionDisabled', { value: true })
  }
  clearTimeout(browser.sweep)
  browser.used = browser.kept
  return browser.kept
}

/** The next page takes the place of the last one; where none comes soon, nothing does. */
function clear(tab: Tab): void {
  void tab.send('Page.setDocumentContent', { frameId: tab.frameId, html: '' })
}

const SWEEP_MS = 500

async function openTab(pipe: Pipe): Promise<Tab> {
  const { browserContextId } = await pipe.send<{ browserContextId: string }>('Target.createBrowserContext')
  const opened = { url: 'about:blank', browserContextId, width: 1200, height: 800 }
  const { targetId } = await pipe.send<{ targetId: string }>('Target.createTarget', opened)
  const attached = { targetId, flatten: true }
  const { sessionId } = await pipe.send<{ sessionId: string }>('Target.attachToTarget', attached)
  const tab: Tab = {
    contextId: browserContextId,
    frameId: targetId,
    send: (method, params) => pipe.send(method, params, sessionId),
    listen: listener => pipe.listen(sessionId, listener),
  }
  await Promise.all([
    tab.send('Page.enable'),
    tab.send('Runtime.enable'),
    tab.send('Inspector.enable'),
    tab.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }),
    pipe.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId }),
  ])
  return tab
}
