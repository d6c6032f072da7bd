import { optimize } from 'svgo'
import { Problem } from '#kit'

// Its default plugins, until nothing changes: drawings of editors lose a third or more, and librsvg draws them the same.

export function bind() {
  return { minify }
}

/** Shortens an SVG without changing how it looks. */
async function minify(svg: string, { keepsMetadata }: { keepsMetadata: boolean }): Promise<string> {
  const overrides = keepsMetadata ? ({ removeMetadata: false, removeComments: false, removeDesc: false } as const) : {}
  try {
    return optimize(svg, { multipass: true, plugins: [{ name: 'preset-default', params: { overrides } }] }).data
  } catch (error) {
    throw new Problem('IMAGE_DECODE_FAILED', { detail: (error as Error).message.split('\n')[0]!.slice(0, 200) })
  }
}
