import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Take a screenshot of a web page',
  lead: 'A public page as a picture, as a desktop or a phone shows it, in whole or in part.',
  keywords: 'screenshot, web page, capture, url to image, thumbnail, puppeteer, full page',
  needsWeb: true,
  steps: [
    {
      call: 'web.screenshot',
      input: { url: 'https://example.com/', fullPage: true, format: 'webp' },
      saves: 'page.webp',
    },
  ],
  pitfalls: [
    'The operator must allow requests to the web (`OUTBOUND=public`). Where that is off the call answers `PROVIDER_NOT_CONFIGURED` and costs nothing.',
    'Addresses within the network of the service are never reached, also not by a redirect.',
    'Cookie banners are part of the page. `hide` and `click` remove them, by a selector.',
    'A page that loads as you scroll needs `scroll`; one that never stops loading needs `wait` with a selector.',
  ],
})
