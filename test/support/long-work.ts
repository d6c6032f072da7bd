import { noisyPng } from './png.ts'

const noise = noisyPng(400).toString('base64')

/** A call that keeps a worker busy for some seconds: noise, enlarged and squeezed hard. */
export const LONG_PATH = '/v1/image/resize'

export function longWork(width = 3_000): Record<string, unknown> {
  return { file: { inline: noise }, width, enlarge: true, kernel: 'nearest', format: 'avif', sharpen: false }
}
