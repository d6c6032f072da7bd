export const BLOCKABLE = ['ads', 'trackers', 'cookie-banners', 'chat', 'media', 'fonts'] as const
export type Blockable = (typeof BLOCKABLE)[number]

/** Hosts, with all hosts below them, that serve nothing else. */
const HOSTS: Partial<Record<Blockable, string>> = {
  ads:
    'doubleclick.net googlesyndication.com googleadservices.com adservice.google.com amazon-adsystem.com adnxs.com ' +
    'criteo.com criteo.net taboola.com outbrain.com rubiconproject.com pubmatic.com openx.net casalemedia.com adform.net ' +
    'smartadserver.com advertising.com yieldmo.com moatads.com teads.tv sharethrough.com 33across.com media.net ' +
    'revcontent.com mgid.com adroll.com bidswitch.net adsrvr.org serving-sys.com zedo.com propellerads.com',
  trackers:
    'google-analytics.com googletagmanager.com analytics.google.com connect.facebook.net hotjar.com hotjar.io segment.io ' +
    'segment.com mixpanel.com amplitude.com fullstory.com mouseflow.com crazyegg.com scorecardresearch.com ' +
    'quantserve.com chartbeat.com chartbeat.net newrelic.com nr-data.net bugsnag.com clarity.ms bat.bing.com ' +
    'ads.linkedin.com px.ads.linkedin.com analytics.tiktok.com static.ads-twitter.com snap.licdn.com matomo.cloud ' +
    'plausible.io heap.io heapanalytics.com pardot.com marketo.net hs-analytics.net demdex.net omtrdc.net krxd.net',
  'cookie-banners':
    'cdn.cookielaw.org consent.cookiebot.com consentcdn.cookiebot.com cmp.quantcast.com cdn.privacy-mgmt.com ' +
    'sdk.privacy-center.org usercentrics.eu app.usercentrics.eu cookie-script.com cdn.iubenda.com osano.com trustarc.com ' +
    'consensu.org cookiefirst.com cookieyes.com termly.io',
  chat:
    'widget.intercom.io js.intercomcdn.com js.driftt.com client.crisp.chat embed.tawk.to static.zdassets.com ' +
    'code.tidio.co widget.freshworks.com wchat.freshchat.com static.olark.com cdn.livechatinc.com js.usemessages.com',
}

const RESOURCE_TYPES: Partial<Record<string, Blockable>> = { Media: 'media', Font: 'fonts' }

/** Why a page is not given what it asks for; undefined if it is. */
export function findBlock(url: string, resourceType: string, block: readonly Blockable[]): Blockable | undefined {
  const byType = RESOURCE_TYPES[resourceType]
  if (byType && block.includes(byType)) return byType
  const host = URL.parse(url)?.hostname ?? ''
  return block.find(kind => HOST_SETS[kind] && isBelow(host, HOST_SETS[kind]))
}

const HOST_SETS = Object.fromEntries(
  Object.entries(HOSTS).map(([kind, hosts]) => [kind, new Set(hosts.split(' '))]),
) as Partial<Record<Blockable, ReadonlySet<string>>>

function isBelow(host: string, hosts: ReadonlySet<string>): boolean {
  for (let name = host; name !== ''; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    if (hosts.has(name)) return true
  }
  return false
}

/** Elements of well-known consent dialogs and chat widgets. */
export const HIDDEN_ELEMENTS: Partial<Record<Blockable, readonly string[]>> = {
  'cookie-banners': [
    ...['#onetrust-consent-sdk', '#CybotCookiebotDialog', '#CybotCookiebotDialogBodyUnderlay', '.qc-cmp2-container'],
    ...['#didomi-host', '#usercentrics-root', '#usercentrics-cmp-ui', '.cc-window', '.cky-consent-container'],
    ...['#cookie-law-info-bar', '.osano-cm-window', '#truste-consent-track', '#iubenda-cs-banner', '#klaro .klaro'],
    ...['[id^="sp_message_container"]', '#termly-code-snippet-support', '#cookiescript_injected', '#tarteaucitronRoot'],
    ...['#cookie-banner', '#cookieBanner', '.cookie-banner', '#cookie-consent', '.cookie-consent', '#cookie-notice'],
    ...['.cookie-notice', '#gdpr-banner', '.gdpr-banner', '[aria-label="cookieconsent"]', '#cmpbox', '#cmpbox2'],
  ],
  chat: ['#intercom-container', '.intercom-lightweight-app', '#drift-widget-container', '.crisp-client', '#tidio-chat'],
}
