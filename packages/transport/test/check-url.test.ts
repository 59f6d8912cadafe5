import { TransportError } from "@bridle/ports";
import { describe, expect, it } from "vitest";

import { checkUrl } from "../src/check-url.ts";
import { createFetch } from "../src/index.ts";

describe("T1: a credential never leaves in clear text", () => {
  it.each([
    "https://api.example.com/v1",
    "http://127.0.0.1:4010/v1",
    "http://127.8.8.8/v1",
    "http://localhost:1/v1",
    "http://[::1]:1/v1",
  ])("[B193] %s may be called", (text) => {
    expect(checkUrl(text).href).toContain(text);
  });

  it.each([
    "http://api.example.com/v1",
    "http://127.0.0.1.evil.example/v1",
    "http://localhost.evil.example/",
    "http://10.0.0.1/",
    "ftp://127.0.0.1/",
    "https://user:secret@api.example.com/",
  ])("[B193] %s is refused before anything is sent", async (text) => {
    const fetch = createFetch();
    const call = fetch(text, { method: "POST", headers: { authorization: "Bearer k" } });
    await expect(call).rejects.toMatchObject({ code: "insecure_url" });
    await expect(call).rejects.toBeInstanceOf(TransportError);
    await expect(call).rejects.not.toThrow("secret");
    await fetch.close();
  });
});

describe("where clear text is allowed", () => {
  it("[E4] http may leave this machine, and nothing else changes", () => {
    expect(checkUrl("http://ops.example.com/hook", true).hostname).toBe("ops.example.com");
    for (const url of ["ftp://127.0.0.1/", "http://user:secret@ops.example.com/"]) {
      expect(() => checkUrl(url, true)).toThrow(TransportError);
    }
    // The control: it is not allowed by itself.
    expect(() => checkUrl("http://ops.example.com/hook")).toThrow(TransportError);
  });
});
