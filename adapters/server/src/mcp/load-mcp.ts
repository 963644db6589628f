/** Loads the package for agents; undefined where it is not installed: a server without agents has none of it. */
export async function loadMcp(): Promise<typeof import('@kalends/mcp') | undefined> {
  try {
    return await import('@kalends/mcp');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes("'@kalends/mcp'")) throw error;
    return undefined;
  }
}
