import { formatUsd, type InputFile, PRICE_FLOOR, type Price, perStartedMegapixels } from '#kit'

export const COMPRESS_PRICE: Price<{ file: InputFile; format: string }> = {
  ...perStartedMegapixels<{ file: InputFile; format: string }>(25, '0.002', [
    {
      when: '`format` is `auto` or the file is AVIF',
      factor: 2,
      applies: ({ file, format }) => format === 'auto' || file.type === 'image/avif',
    },
  ]),
  minUnits: 0,
  note: `An image that cannot be made smaller costs ${formatUsd(PRICE_FLOOR)} USD.`,
}
