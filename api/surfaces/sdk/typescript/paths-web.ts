const REASON = 'browsers open no paths: give a File, a Blob or bytes'

export async function openPath(): Promise<Blob> {
  throw new TypeError(REASON)
}

export async function writePath(): Promise<void> {
  throw new TypeError(REASON)
}

export function nameOfPath(path: string): string {
  return path
}
