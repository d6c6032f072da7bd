import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Turn HTML into an image',
  lead: 'Cards, badges, tickets or previews that you design with HTML and CSS, as a picture.',
  keywords: 'html to image, screenshot, card, social image, chromium, png',
  steps: [
    {
      call: 'image.from-html',
      input: {
        html: '<div style="font: 48px sans-serif; padding: 40px; background: #0f5f57; color: white">Low tide at six</div>',
        width: 600,
        height: 200,
      },
      saves: 'card.png',
    },
  ],
  pitfalls: [
    'Only fonts that are installed or that you send in `assets` are used; others are replaced.',
    'Pages of the web are taken with `web.screenshot`, where the operator allows requests to the web.',
    'Scripts run before the picture is taken. Set `javascript: false` for HTML of strangers.',
    'A font or an image that fails to load is a warning in the answer; check it before you publish the picture.',
  ],
})
