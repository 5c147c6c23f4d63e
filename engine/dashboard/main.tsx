import { type FormEvent, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { ErrorMessage } from "./common.tsx";
import { Deployment, WrongKeyError } from "./deployment.ts";
import { Environment } from "./environment.tsx";
import { Files } from "./files.tsx";
import { Functions } from "./functions.tsx";
import { useAction, useLoaded } from "./hooks.ts";
import { Logs } from "./logs.tsx";
import { Metrics } from "./metrics.tsx";
import { Schedules } from "./schedules.tsx";
import { SchemaPage } from "./schema.tsx";
import { Tables } from "./tables.tsx";
import { fieldOf } from "./values.ts";
import "./style.css";

const STORED_KEY = "admin-key";
const PAGES = {
  tables: "Tables",
  schema: "Schema",
  functions: "Functions",
  logs: "Logs",
  schedules: "Schedules",
  files: "Files",
  environment: "Environment",
  metrics: "Metrics",
} as const;
type PageName = keyof typeof PAGES;

function App() {
  const [key, setKey] = useState(sessionStorage.getItem(STORED_KEY));
  if (key === null)
    return (
      <SignIn
        onSignIn={(entered) => {
          sessionStorage.setItem(STORED_KEY, entered);
          setKey(entered);
        }}
      />
    );
  const signOut = () => {
    sessionStorage.removeItem(STORED_KEY);
    setKey(null);
  };
  return <Dashboard adminKey={key} onSignOut={signOut} />;
}

function SignIn({ onSignIn }: { onSignIn: (key: string) => void }) {
  const { error, run } = useAction();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const key = fieldOf(new FormData(event.currentTarget), "key").trim();
    void run(async () => {
      await new Deployment(key, "").text("/api/v1/get_canonical_urls").catch((thrown: unknown) => {
        throw thrown instanceof WrongKeyError ? new Error("This is not the deployment's admin key.") : thrown;
      });
      onSignIn(key);
    });
  };
  return (
    <main className="sign-in">
      <h1>Deployment dashboard</h1>
      <form onSubmit={submit}>
        <label>
          Admin key
          <input name="key" type="password" required autoComplete="off" />
        </label>
        <p className="hint">The key is stored until this tab is closed.</p>
        <ErrorMessage text={error} />
        <button>Open dashboard</button>
      </form>
    </main>
  );
}

function Dashboard({ adminKey, onSignOut }: { adminKey: string; onSignOut: () => void }) {
  const [deployment, setDeployment] = useState(() => new Deployment(adminKey, ""));
  const [page, detail] = usePlace();
  const components = useLoaded(deployment, "components", () => deployment.query<{ path: string }[]>("frontend/components:list"));
  const mounted = components.value ?? [];
  useEffect(() => {
    document.title = `${PAGES[page]} · Deployment dashboard`;
  }, [page]);
  return (
    <>
      <header>
        <nav aria-label="Dashboard">
          {Object.entries(PAGES).map(([name, title]) => (
            <a key={name} href={`#${name}`} aria-current={name === page ? "page" : undefined}>
              {title}
            </a>
          ))}
        </nav>
        {mounted.length > 0 && (
          <label>
            Component
            <select value={deployment.component} onChange={(event) => setDeployment(deployment.in(event.target.value))}>
              <option value="">app</option>
              {mounted.map(({ path }) => (
                <option key={path}>{path}</option>
              ))}
            </select>
          </label>
        )}
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </header>
      <main>
        {page === "tables" && <Tables deployment={deployment} table={detail} onOpen={(table) => openPlace("tables", table)} />}
        {page === "schema" && <SchemaPage deployment={deployment} />}
        {page === "functions" && <Functions deployment={deployment} name={detail} onOpen={(name) => openPlace("functions", name)} />}
        {page === "logs" && <Logs deployment={deployment} />}
        {page === "schedules" && <Schedules deployment={deployment} />}
        {page === "files" && <Files deployment={deployment} />}
        {page === "environment" && <Environment deployment={deployment} />}
        {page === "metrics" && <Metrics deployment={deployment} />}
      </main>
    </>
  );
}

/** The address has the page and its detail, such as `#tables/messages`, and never the key. */
function usePlace(): [PageName, string] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const update = () => setHash(location.hash);
    window.addEventListener("hashchange", update);
    return () => window.removeEventListener("hashchange", update);
  }, []);
  const [name = "", detail = ""] = hash.slice(1).split("/");
  return [isPage(name) ? name : "tables", decodeURIComponent(detail)];
}

const isPage = (name: string): name is PageName => Object.hasOwn(PAGES, name);
const openPlace = (page: PageName, detail: string) => {
  location.hash = `${page}/${encodeURIComponent(detail)}`;
};

const root = document.getElementById("root");
if (root) createRoot(root).render(<App />);
