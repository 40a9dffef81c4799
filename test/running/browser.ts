import { type Browser, chromium } from 'playwright-core'
import { findProgram } from '../../deploy/machine/commands.ts'
import { canInstallPackages, installPackages } from '../../deploy/provisioning/system-packages.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

const installed = async (): Promise<string | undefined> => {
  for (const name of names) {
    const path = await findProgram(name)
    if (path !== undefined) return path
  }
  return undefined
}

/**
 * A real browser without a window: the one that this machine has, else from the system's packages.
 *
 * @throws Error naming the command that would fix it.
 */
export const openBrowser = async (): Promise<Browser> => {
  let executablePath = process.env.CHROMIUM ?? (await installed())
  if (executablePath === undefined && (await canInstallPackages())) {
    await installPackages(['chromium'], AbortSignal.timeout(300_000))
    executablePath = await installed()
  }
  if (executablePath === undefined) {
    throw new Error('No Chromium here: install it (apt-get install chromium), or set CHROMIUM to its path')
  }
  // Tests may run as root, where Chromium's own sandbox does not work.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
