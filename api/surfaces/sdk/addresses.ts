import type { SurfaceOptions } from '../entries.ts'

/** Where the wheel is: pip reads name and version from the last part of its address. */
export function wheelPathOf(version: string): string {
  return `/sdk/coinop-${version}-py3-none-any.whl`
}

/** The commands that install the clients, as the documents print them. */
export function listInstallCommands({
  publicUrl,
}: Pick<SurfaceOptions, 'publicUrl'>): Record<'npm' | 'npx' | 'pip', string> {
  return {
    npm: `npm install ${publicUrl}/sdk.tgz`,
    npx: `npx ${publicUrl}/cli.tgz`,
    pip: `pip install $(curl -s ${publicUrl}/sdk.txt)`,
  }
}
