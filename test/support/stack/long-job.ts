import { createNoisyPng } from '../images/png.ts'

const noise = createNoisyPng(400).toString('base64')

/** A call that keeps a worker busy for some seconds: it enlarges noise and encodes it as AVIF. */
export const LONG_CALL_PATH = '/v1/image/resize'

export function longCallBody(width = 3_000): Record<string, unknown> {
  return { file: { inline: noise }, width, enlarge: true, kernel: 'nearest', format: 'avif', sharpen: false }
}
