/** Passwords are passed on stdin, so that they appear in no process list. */
export function passwordArgs(password: string | undefined): string[] {
  return password === undefined ? [] : ['--password-file=-']
}

export function passwordInput(password: string | undefined): { stdin?: Uint8Array } {
  return password === undefined ? {} : { stdin: Buffer.from(password) }
}
