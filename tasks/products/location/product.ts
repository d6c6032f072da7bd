import { product } from '#kit'

const location = product({
  title: 'Location',
  summary: 'Places and their coordinates.',
})

export default location

declare module '../../kit/product.ts' {
  interface Products {
    location: typeof location
  }
}
