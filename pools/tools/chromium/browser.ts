import { existsSync } from 'node:fs'
import type { DaemonKind } from '../../daemons/kind.ts'
import { isRoot } from '../../programs/sandbox.ts'
import { type DevtoolsEvent, DevtoolsPipe, type Params } from './pipe.ts'

/** A page in its own browser context, which shares no cookies, cache or process with earlier pages. */
export interface Tab {
  contextId: string
  frameId: string
  /** A JavaScript world that the page's scripts cannot reach; created on first use. */
  isolatedWorld?: Promise<{ executionContextId: number }>
  send<Result = unknown>(method: string, params?: Params): Promise<Result>
  listen(listener?: (event: DevtoolsEvent) => void): void
}

interface Browser {
  pipe: DevtoolsPipe
  /** Opened ahead of the next call. */
  spareTab: Promise<Tab>
  currentTab: Tab | undefined
  /** Reused for all plain pages. */
  plainTab: Tab | undefined
  clearTimer?: NodeJS.Timeout
}

/** The headless shell prints in a third of the time, so it is preferred. Debian's wrapper scripts are not needed. */
const BINARIES = ['/usr/lib/chromium/chromium-headless-shell', '/usr/lib/chromium/chromium']

export function findBinary(): string {
  return BINARIES.find(path => existsSync(path)) ?? BINARIES[0]!
}

export const CHROMIUM: DaemonKind<Browser> = {
  name: 'chromium',
  command({ home, level, failedStarts }) {
    // Chromium's own sandbox does not work as root, and inside ours only if the kernel allows nested namespaces.
    const needsNoSandboxFlag = (level === 0 && isRoot) || (level === 2 && failedStarts > 0)
    return {
      program: findBinary(),
      args: [...FLAGS, ...(needsNoSandboxFlag ? ['--no-sandbox'] : []), `--user-data-dir=${home}/profile`],
    }
  },
  async open(daemon) {
    const pipe = new DevtoolsPipe(daemon.input, daemon.output)
    await pipe.send('Browser.getVersion')
    return { pipe, spareTab: openSpareTab(pipe), currentTab: undefined, plainTab: undefined }
  },
  async reset(browser) {
    const { pipe, currentTab, plainTab } = browser
    browser.currentTab = undefined
    currentTab?.listen()
    if (currentTab && currentTab === plainTab)
      browser.clearTimer = setTimeout(clearPage, CLEAR_DELAY_MS, currentTab).unref()
    else if (currentTab) await pipe.send('Target.disposeBrowserContext', { browserContextId: currentTab.contextId })
    await browser.spareTab
  },
  maxCalls: 100,
  memoryMb: 2048,
  recycleMb: 768,
}

/** Blocks all requests that are not intercepted, for levels without a sandbox; the sandbox has no network anyway. */
const NO_NETWORK = [
  '--proxy-server=127.0.0.1:1',
  '--proxy-bypass-list=<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND',
]

/** Keeps all frames of a page in one process, so that one listener intercepts the requests of all of them. */
const SINGLE_PROCESS = [
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
  ...SINGLE_PROCESS,
  ...NO_NETWORK,
]

/** The tab for the next call opens while this one is at work; there is never more than one ahead. */
export async function takeTab(browser: Browser): Promise<Tab> {
  const tab = await browser.spareTab
  browser.currentTab = tab
  browser.spareTab = openSpareTab(browser.pipe)
  return tab
}

/** A tab that does not open fails the call that takes it, or the reset before it. */
function openSpareTab(pipe: DevtoolsPipe): Promise<Tab> {
  const opening = openTab(pipe)
  opening.catch(() => undefined)
  return opening
}

/** All plain pages share one tab, in which scripts are disabled. */
export async function takePlainTab(browser: Browser): Promise<Tab> {
  if (!browser.plainTab) {
    browser.plainTab = await takeTab(browser)
    await browser.plainTab.send('Emulation.setScriptExecutionDisabled', { value: true })
  }
  clearTimeout(browser.clearTimer)
  browser.currentTab = browser.plainTab
  return browser.plainTab
}

/** Removes the last plain page from memory if no other page replaces it soon. */
function clearPage(tab: Tab): void {
  void tab.send('Page.setDocumentContent', { frameId: tab.frameId, html: '' })
}

const CLEAR_DELAY_MS = 500

async function openTab(pipe: DevtoolsPipe): Promise<Tab> {
  const { browserContextId } = await pipe.send<{ browserContextId: string }>('Target.createBrowserContext')
  const target = { url: 'about:blank', browserContextId, width: 1200, height: 800 }
  const { targetId } = await pipe.send<{ targetId: string }>('Target.createTarget', target)
  const attachment = { targetId, flatten: true }
  const { sessionId } = await pipe.send<{ sessionId: string }>('Target.attachToTarget', attachment)
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
