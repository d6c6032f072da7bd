import { howTo } from '../../declaration.ts'

export default howTo({
  title: 'Resize an image for the web',
  lead: "The size you need, in a format that browsers load fast. The camera's orientation is applied and private metadata is removed.",
  keywords: 'resize, thumbnail, webp, avif, responsive images, scale, sharp, imgproxy',
  steps: [
    {
      call: 'image.resize',
      input: { file: 'sample:gradient.png', width: 96, height: 96, fit: 'cover', format: 'webp', quality: 80 },
      saves: 'square.webp',
    },
  ],
  pitfalls: [
    'Nothing is enlarged unless `enlarge` is true, so a small input stays small.',
    'With both sides, `inside` fits the image into the box, `cover` fills the box and cuts, `contain` fills it with a border.',
    'AVIF is smaller than WebP and takes several times as long to make; the price says which factor applies.',
    'Location and camera are removed by default. `metadata: "copyright"` keeps author and rights.',
  ],
})
